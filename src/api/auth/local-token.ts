import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Instant } from '../../clock.ts'

/** How long a token of a key pair may live, in milliseconds; the API refuses longer ones. */
export const MAX_TTL = 24 * 3_600_000

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
 * A JWT for the API's mode `local`.
 * @throws TypeError when the key cannot be read or is of no kind that serves, or the time is too long
 */
export async function signToken(request: TokenRequest, now: Instant): Promise<string> {
  const { privateKey, issuer, audience, subject, scopes, namespaces, ttl } = request
  if (ttl > MAX_TTL) throw new TypeError('a token lives 24 hours at most')
  const key = readPrivateKey(privateKey)
  const issuedAt = Math.floor(now / 1000)
  return new SignJWT({ scope: scopes.join(' '), 'dormouse.dev/namespaces': namespaces })
    .setProtectedHeader({ alg: algorithmOf(key), typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(ttl / 1000))
    .sign(key)
}

/** A new key pair in PEM: PKCS #8 and SPKI. */
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
    throw new TypeError('the key is no private key in PEM without a passphrase')
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256'
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'ES384'
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return 'RS256'
  throw new TypeError('the key must be Ed25519, P-256, P-384, or RSA of at least 2048 bits')
}
