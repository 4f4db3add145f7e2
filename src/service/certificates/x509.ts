import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Instant } from '../../process/clock.ts'
import type { KeyPair } from './issue.ts'

export interface Validity {
  readonly notBefore: Instant
  readonly notAfter: Instant
}

/** The validity of a certificate, and its names. @throws Error when it cannot be parsed */
export function readCertificate(cert: string): Validity & { readonly names: readonly string[] } {
  const { validFromDate, validToDate, subjectAltName } = new X509Certificate(cert)
  const names = (subjectAltName ?? '').split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
  return {
    notBefore: validFromDate.getTime(),
    notAfter: validToDate.getTime(),
    names: names.filter((name) => name !== ''),
  }
}

/** Whether a client that calls this name or address accepts the certificate. */
export function covers(cert: string, name: string): boolean {
  const certificate = new X509Certificate(cert)
  const found = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' })
  return found !== undefined
}

/** Whether the key belongs to the (first) certificate; false also when one of them cannot be parsed. */
export function belongTogether({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/** @throws Error when one of them cannot be parsed */
export function isIssuedBy(cert: string, issuer: string): boolean {
  const [child, parent] = [new X509Certificate(cert), new X509Certificate(issuer)]
  return child.checkIssued(parent) && child.verify(parent.publicKey)
}
