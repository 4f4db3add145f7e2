import { createHmac } from 'node:crypto'

/** The HMAC-SHA-256 of a text by a secret, in base64url. */
export function hmacSha256(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}
