/**
 * Algorithms that tokens may be signed by. All are asymmetric, so that a public key can never serve as a secret
 * (RFC 8725, sections 2.1 and 3.1).
 */
// prettier-ignore
export const SIGNATURE_ALGORITHMS = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]

/** Whether an issuer's keys may be fetched from this URL: by https, or by http from this machine. */
export function isSafeKeysUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
