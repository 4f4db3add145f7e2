import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { claimsIdentity, LEEWAY, verifiedClaims } from './claims.ts'
import { unauthenticated } from '../errors.ts'
import type { Identity } from './identity.ts'
import type { LocalSettings } from '../ports.ts'

/** Seconds. */
const MAX_LIFETIME = 24 * 3600
const MIN_RSA_BITS = 2048

/**
 * Checks tokens that `dormouse token` signed: at most 24 h from `iat` to `exp`.
 * Throws TypeError where the key is no public key of a kind that serves.
 */
export function localVerifier({ issuer, audience, publicKey, advice }: LocalSettings, clock: Clock) {
  if (publicKey.includes('PRIVATE KEY'))
    throw new TypeError('auth.local: this is a private key: give its public half')
  const key = keyOf(publicKey)
  const expected = {
    issuer,
    audience,
    algorithms: algorithmsOf(key),
    requiredClaims: ['sub', 'exp', 'iat'],
    ...(advice === undefined ? {} : { advice }),
  }
  return async (token: string): Promise<Identity> => {
    const claims = await verifiedClaims(token, () => key, expected, clock())
    const { iat = NaN, exp = NaN } = claims
    if (iat > clock() / 1000 + LEEWAY) throw refused('the token was issued in the future')
    if (!(exp - iat <= MAX_LIFETIME)) throw refused('the token lives longer than 24 hours')
    return claimsIdentity('local', issuer, claims)
  }
}

function keyOf(pem: string): KeyObject {
  try {
    return createPublicKey(pem)
  } catch (error) {
    throw new TypeError('auth.local: this is no public key in PEM: make one by dormouse key-pair', {
      cause: error,
    })
  }
}

function refused(fault: string): Error {
  return unauthenticated(`${fault}: get one from dormouse token`, fault)
}

/** The key decides the algorithm, never the token (RFC 8725, section 3.1). */
function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string[] {
  if (asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519']
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return ['ES256']
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'secp384r1') return ['ES384']
  const bits = asymmetricKeyDetails?.modulusLength ?? 0
  if (asymmetricKeyType === 'rsa' && bits >= MIN_RSA_BITS) return ['RS256', 'PS256']
  throw new TypeError(
    'auth.local: the public key must be Ed25519, P-256, P-384, or RSA of at least 2048 bits',
  )
}
