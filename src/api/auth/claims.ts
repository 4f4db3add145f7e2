import { jwtVerify, errors, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { Instant } from '../../clock.ts'
import { Refusal } from '../../errors.ts'
import { unauthenticated, unavailable } from '../errors.ts'
import type { ClaimsIdentity } from './identity.ts'

/** Asymmetric only, so that no public key can ever serve as a secret (RFC 8725, sections 2.1 and 3.1). */
// prettier-ignore
export const ALGORITHMS = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]

/** Seconds that clocks may differ. */
export const LEEWAY = 30
const NAMESPACES = 'dormouse.dev/namespaces'
/** What access tokens say that they are (RFC 9068, section 2.1), where they say it; media types know no case. */
const ACCESS_TYPES = /^(?:application\/)?(?:at\+)?jwt$/i

export interface Expected {
  readonly issuer: string
  readonly audience: string
  readonly algorithms: readonly string[]
  readonly requiredClaims: readonly string[]
  /** What to do about a token that fails a check; default: get a new one. */
  readonly advice?: string
}

/**
 * The claims of a token that its issuer signed for us and that holds at `now`.
 * @throws Refusal UNAUTHENTICATED saying which check failed; CLUSTER_UNAVAILABLE: no keys to check with
 */
export async function verifiedClaims(
  token: string,
  key: JWTVerifyGetKey,
  expected: Expected,
  now: Instant,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      issuer: expected.issuer,
      audience: expected.audience,
      algorithms: [...expected.algorithms],
      requiredClaims: [...expected.requiredClaims],
      clockTolerance: LEEWAY,
      currentDate: new Date(now),
    })
    if (!isAccessType(protectedHeader.typ)) throw wrongType()
    return payload
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout) {
      throw unavailable("the keys of this token's issuer cannot be had now: try again", error)
    }
    const fault = faultOf(error)
    throw unauthenticated(`${fault}: ${expected.advice ?? 'get a new token'}`, fault, error)
  }
}

/** An issuer signs other things by the same key, such as logout tokens (RFC 8725, section 3.11). */
function isAccessType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && ACCESS_TYPES.test(typ))
}

function wrongType(): Refusal {
  const fault = 'the token is of a type that is not for access'
  return unauthenticated(`${fault}: its header typ must be JWT or at+jwt, or left out`, fault)
}

/** @throws Refusal UNAUTHENTICATED without a subject */
export function claimsIdentity(mode: 'oidc' | 'local', issuer: string, claims: JWTPayload): ClaimsIdentity {
  const subject = claims.sub
  if (typeof subject !== 'string' || subject === '') {
    const fault = 'the claim sub is not a name'
    throw unauthenticated(`${fault}: get a token that names its subject`, fault)
  }
  return {
    mode,
    issuer,
    subject,
    scopes: new Set(scopesOf(claims)),
    namespaces: new Set(names(claims[NAMESPACES])),
  }
}

/** `scope` (RFC 9068, section 2.2.3: words of one text), or `scp`, which some issuers have instead: that, or a list. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  if (scope !== undefined) return typeof scope === 'string' ? scope.split(' ') : []
  return typeof scp === 'string' ? scp.split(' ') : names(scp)
}

function names(claim: unknown): string[] {
  const list: unknown[] = Array.isArray(claim) ? claim : [claim]
  return list.filter((name) => typeof name === 'string')
}

function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error)
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'the token is signed by an algorithm that is not allowed'
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'the signature of the token does not verify'
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'the token is signed by a key that its issuer does not have'
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'the token does not say which key it is signed by'
  return 'the token is malformed'
}

function claimFault({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `the claim ${claim} is missing`
  if (claim === 'nbf') return 'the token is not valid yet'
  if (claim === 'aud') return 'the token is for another audience'
  return `the claim ${claim} is not valid`
}
