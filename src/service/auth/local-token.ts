import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Clock, Instant } from '../../process/clock.ts'
import { unauthenticated } from './refusals.ts'
import type { LocalSettings } from './ports.ts'
import type { Caller } from './caller.ts'
import { claimsCaller, LEEWAY, NAMESPACES_CLAIM, verifyJwt } from './jwt.ts'

/** How long a local token may live, in milliseconds. */
export const MAX_TTL = 24 * 3_600_000
const MIN_RSA_BITS = 2048

export type Scope = 'dormouse:read' | 'dormouse:write'

export interface TokenRequest {
  /** PEM (PKCS #8, SEC 1 or PKCS #1): Ed25519, P-256, P-384, or RSA of at least 2048 bits. */
  readonly privateKey: string
  readonly issuer: string
  readonly audience: string
  readonly subject: string
  readonly scopes: readonly Scope[]
  /** `*` for all. */
  readonly namespaces: readonly string[]
  /** Milliseconds, at most `MAX_TTL`. */
  readonly ttl: number
}

/**
 * Signs a JWT for the API's mode `local`.
 *
 *     const token = await signToken({ privateKey, issuer, audience, subject: 'ci', scopes: ['dormouse:read'],
 *       namespaces: ['shop'], ttl: 3_600_000 }, clock())
 *
 * @throws TypeError when the key cannot be read or is not of a supported kind, or `ttl` is too long
 */
export async function signToken(request: TokenRequest, now: Instant): Promise<string> {
  const { privateKey, issuer, audience, subject, scopes, namespaces, ttl } = request
  if (ttl > MAX_TTL) throw new TypeError('a token lives 24 hours at most')
  const key = readPrivateKey(privateKey)
  const [alg] = algorithmsOf(key, 'the key')
  const issuedAt = Math.floor(now / 1000)
  return new SignJWT({ scope: scopes.join(' '), [NAMESPACES_CLAIM]: namespaces })
    .setProtectedHeader({ alg, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(ttl / 1000))
    .sign(key)
}

/**
 * Makes the function that checks tokens of `signToken`: signature, issuer, audience, and a lifetime of at most
 * `MAX_TTL`. It rejects with Refusal UNAUTHENTICATED.
 *
 *     const verify = localVerifier({ issuer, audience, publicKey }, clock)
 *     const { subject, scopes, namespaces } = await verify(token)
 *
 * @throws TypeError when the key is not a public key of a supported kind
 */
export function localVerifier({ issuer, audience, publicKey, advice }: LocalSettings, clock: Clock) {
  const key = readPublicKey(publicKey)
  const expected = {
    issuer,
    audience,
    algorithms: algorithmsOf(key, 'auth.local: the public key'),
    requiredClaims: ['sub', 'exp', 'iat'],
    ...(advice === undefined ? {} : { advice }),
  }
  return async (token: string): Promise<Caller> => {
    const claims = await verifyJwt(token, () => key, expected, clock())
    const { iat = NaN, exp = NaN } = claims
    if (iat > clock() / 1000 + LEEWAY) throw refused('the token was issued in the future')
    if (!((exp - iat) * 1000 <= MAX_TTL)) throw refused('the token lives longer than 24 hours')
    return claimsCaller('local', issuer, claims)
  }
}

/** Makes a new key pair in PEM: PKCS #8 and SPKI. */
export function newKeyPair(algorithm: 'EdDSA' | 'ES256'): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new TypeError('the key is not a private key in PEM, or has a passphrase')
  }
}

function readPublicKey(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY'))
    throw new TypeError('auth.local: this is a private key: give its public half')
  try {
    return createPublicKey(pem)
  } catch (error) {
    throw new TypeError('auth.local: this is not a public key in PEM: make one by dormouse key-pair', {
      cause: error,
    })
  }
}

/**
 * The algorithms for a key: the first signs, all of them verify. The key decides, never the token (RFC 8725, section 3.1).
 * @throws TypeError when the key is of another kind; `name` is what the message calls it
 */
function algorithmsOf(
  { asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject,
  name: string,
): [string, ...string[]] {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails
  if (asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519']
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return ['ES256']
  if (asymmetricKeyType === 'ec' && namedCurve === 'secp384r1') return ['ES384']
  if (asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS) return ['RS256', 'PS256']
  throw new TypeError(`${name} must be Ed25519, P-256, P-384, or RSA of at least ${MIN_RSA_BITS} bits`)
}

function refused(fault: string): Error {
  return unauthenticated(`${fault}: get one from dormouse token`, fault)
}
