import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'

export interface TokenOptions {
  readonly subject?: string
  readonly issuer?: string
  readonly audience?: string
  readonly scope?: string
  readonly namespaces?: unknown
  /** Seconds since the epoch. */
  readonly issuedAt?: number
  readonly expiresAt?: number
  readonly key?: KeyObject
}

/** A key pair of the mode `local`, and tokens signed by it. */
export interface LocalTokens {
  readonly issuer: string
  readonly audience: string
  readonly publicKey: string
  readonly privateKey: string
  token(options?: TokenOptions): Promise<string>
}

export function newLocalTokens(): LocalTokens {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const issuer = 'dormouse-tests'
  const audience = 'dormouse'
  return {
    issuer,
    audience,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token(options = {}) {
      const now = Math.floor(Date.now() / 1000)
      const { subject = 'tester', scope = 'dormouse:read dormouse:write', namespaces = '*' } = options
      return new SignJWT({ scope, 'dormouse.dev/namespaces': namespaces })
        .setProtectedHeader({ alg: 'EdDSA' })
        .setSubject(subject)
        .setIssuer(options.issuer ?? issuer)
        .setAudience(options.audience ?? audience)
        .setIssuedAt(options.issuedAt ?? now)
        .setExpirationTime(options.expiresAt ?? now + 3600)
        .sign(options.key ?? privateKey)
    },
  }
}
