import { X509Certificate } from 'node:crypto'
import type { Instant } from '../../process/clock.ts'
import type { KeyPair } from './issue.ts'
import type { SecretData } from '../../kubernetes/ports.ts'
import { belongTogether, isIssuedBy, readCertificate } from './x509.ts'

/** A CA that was replaced: trusted until `until`, when the last leaf that it signed has expired. */
interface RetiringCa {
  readonly cert: string
  readonly until: Instant
}

/** The content of our Secret: the CA that signs, its leaf, the CA that signs next and the one before. */
export interface CertificateSet {
  readonly ca: KeyPair
  readonly leaf: KeyPair
  readonly next?: KeyPair
  readonly previous?: RetiringCa
}

const KEYS = {
  ca: ['ca.crt', 'ca.key'],
  leaf: ['tls.crt', 'tls.key'],
  next: ['next-ca.crt', 'next-ca.key'],
  previous: ['previous-ca.crt', 'previous-ca.until'],
} as const

type Keys = readonly [string, string]

export function toSecretData({ ca, leaf, next, previous }: CertificateSet): SecretData {
  return {
    [KEYS.ca[0]]: ca.cert,
    [KEYS.ca[1]]: ca.key,
    [KEYS.leaf[0]]: leaf.cert,
    [KEYS.leaf[1]]: leaf.key,
    ...(next && { [KEYS.next[0]]: next.cert, [KEYS.next[1]]: next.key }),
    ...(previous && {
      [KEYS.previous[0]]: previous.cert,
      [KEYS.previous[1]]: new Date(previous.until).toISOString(),
    }),
  }
}

/**
 * Reads the Secret; dates are not checked. Without a valid CA, leaf and keys there is no set. An invalid next or
 * previous CA is left out. Faults never contain the content.
 */
export function fromSecretData(data: SecretData): { set?: CertificateSet; faults: readonly string[] } {
  // The chart creates the Secret empty.
  if (Object.keys(data).length === 0) return { faults: [] }
  const faults: string[] = []
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      faults.push(error instanceof Fault ? error.message : 'unreadable')
      return undefined
    }
  }
  const ca = attempt(() => readCa(data, KEYS.ca))
  const leaf = attempt(() => readKeyPair(data, KEYS.leaf))
  if (!ca || !leaf) return { faults }
  if (!isIssuedBy(leaf.cert, ca.cert)) {
    return { faults: [...faults, `${KEYS.leaf[0]} is not signed by ${KEYS.ca[0]}`] }
  }
  const next = has(data, KEYS.next) ? attempt(() => readCa(data, KEYS.next)) : undefined
  const previous = has(data, KEYS.previous) ? attempt(() => readRetiringCa(data)) : undefined
  return { set: { ca, leaf, ...(next && { next }), ...(previous && { previous }) }, faults }
}

/** Every CA whose leaf may be served now or next, PEM. */
export function bundleOf({ ca, next, previous }: CertificateSet): string {
  return [ca, next, previous].map((each) => each?.cert ?? '').join('')
}

class Fault extends Error {}

function has(data: SecretData, keys: Keys): boolean {
  return keys.some((key) => data[key] !== undefined)
}

function readKeyPair(data: SecretData, [certKey, keyKey]: Keys): KeyPair {
  const [cert, key] = [data[certKey], data[keyKey]]
  if (!cert || !key) throw new Fault(`${cert ? keyKey : certKey} is missing`)
  if (!belongTogether({ cert, key })) throw new Fault(`${certKey} and ${keyKey} do not belong together`)
  return { cert, key }
}

function readCa(data: SecretData, keys: Keys): KeyPair {
  const pair = readKeyPair(data, keys)
  const { ca, publicKey } = new X509Certificate(pair.cert)
  if (!ca) throw new Fault(`${keys[0]} is not the certificate of a CA`)
  // A leaf that another kind of key has signed could be served, but never renewed.
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Fault(`${keys[1]} is not an ECDSA P-256 key: replacing it`)
  }
  return pair
}

function readRetiringCa(data: SecretData): RetiringCa {
  const cert = data[KEYS.previous[0]] ?? ''
  const until = Date.parse(data[KEYS.previous[1]] ?? '')
  if (!isCa(cert)) throw new Fault(`${KEYS.previous[0]} is not the certificate of a CA`)
  return { cert, until: Number.isNaN(until) ? readCertificate(cert).notAfter : until }
}

function isCa(cert: string): boolean {
  try {
    return new X509Certificate(cert).ca
  } catch {
    return false
  }
}
