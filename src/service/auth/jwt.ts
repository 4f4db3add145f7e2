import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { Instant } from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import { unauthenticated, unavailable } from './refusals.ts'
import type { ClaimsCaller } from './caller.ts'

/** How far the issuer's clock and ours may differ, in seconds. */
export const LEEWAY = 30
/** The claim that lists the namespaces a token is good for. */
export const NAMESPACES_CLAIM = 'dormouse.dev/namespaces'
/** The header `typ` of access tokens, which may be absent (RFC 9068, section 2.1). Media types ignore case. */
const ACCESS_TYPES = /^(?:application\/)?(?:at\+)?jwt$/i

/** Requirements on a token. */
export interface ExpectedToken {
  readonly issuer: string
  readonly audience: string
  readonly algorithms: readonly string[]
  readonly requiredClaims: readonly string[]
  /** The advice to a refused caller; default: get a new token. */
  readonly advice?: string
}

/**
 * Checks signature, issuer, audience, time and type of a token, and returns its claims.
 *
 *     const { sub } = await verifyJwt(token, () => publicKey, { issuer, audience, algorithms: ['EdDSA'],
 *       requiredClaims: ['sub', 'exp'] }, clock())
 *
 * @throws Refusal UNAUTHENTICATED saying which check failed; CLUSTER_UNAVAILABLE: the keys cannot be fetched
 */
export async function verifyJwt(
  token: string,
  key: JWTVerifyGetKey,
  expected: ExpectedToken,
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
      throw unavailable("the keys of this token's issuer cannot be fetched now: try again", error)
    }
    const fault = faultOf(error)
    throw unauthenticated(`${fault}: ${expected.advice ?? 'get a new token'}`, fault, error)
  }
}

/** Issuers sign other tokens with the same key, such as logout tokens: those must not pass (RFC 8725, section 3.11). */
function isAccessType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && ACCESS_TYPES.test(typ))
}

function wrongType(): Refusal {
  const fault = 'the token is of a type that is not for access'
  return unauthenticated(`${fault}: its header typ must be JWT or at+jwt, or left out`, fault)
}

/** A token's claims, unverified; undefined: the text is not a JWT. */
export function unverifiedClaims(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token)
  } catch {
    return undefined
  }
}

/** The caller named by verified claims. @throws Refusal UNAUTHENTICATED without a subject */
export function claimsCaller(mode: 'oidc' | 'local', issuer: string, claims: JWTPayload): ClaimsCaller {
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
    namespaces: new Set(names(claims[NAMESPACES_CLAIM])),
  }
}

/** `scope`, words of one text (RFC 9068, section 2.2.3); without it `scp`, which some issuers send as a text or a list. */
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
  if (error instanceof errors.JOSENotSupported)
    return 'the token needs an extension (crit) that is not supported here'
  // jose's word for a key that is there, but too short or not for signatures
  if (error instanceof TypeError)
    return 'the key that the token is signed by is too short, or not for signatures'
  return 'the token is malformed'
}

function claimFault({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `the claim ${claim} is missing`
  if (claim === 'nbf') return 'the token is not valid yet'
  if (claim === 'aud') return 'the token is for another audience'
  return `the claim ${claim} is not valid`
}
