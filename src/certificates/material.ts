import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Instant } from '../clock.ts'
import type { Pair } from './issue.ts'
import type { SecretData } from './ports.ts'

/** The CA that was replaced: trusted until `until`, when the last leaf of it has run out. */
export interface Retiring {
  readonly cert: string
  readonly until: Instant
}

/** All that the Secret holds: the CA that signs, its leaf, the CA that comes and the one that goes. */
export interface Material {
  readonly ca: Pair
  readonly leaf: Pair
  readonly next?: Pair
  readonly previous?: Retiring
}

const KEYS = {
  ca: ['ca.crt', 'ca.key'],
  leaf: ['tls.crt', 'tls.key'],
  next: ['next-ca.crt', 'next-ca.key'],
  previous: ['previous-ca.crt', 'previous-ca.until'],
} as const

export function toSecretData({ ca, leaf, next, previous }: Material): SecretData {
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
 * Reads the Secret. What must be right (the CA, its leaf, their keys) or there is no material; a CA that
 * comes or goes and is not right is left out. Dates are not judged. Faults never contain the content.
 */
export function fromSecretData(data: SecretData): { material?: Material; faults: readonly string[] } {
  // As the chart brings it.
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
  const ca = attempt(() => authority(data, KEYS.ca))
  const leaf = attempt(() => pair(data, KEYS.leaf))
  if (!ca || !leaf) return { faults }
  if (!isIssuedBy(leaf.cert, ca.cert)) {
    return { faults: [...faults, `${KEYS.leaf[0]} is not signed by ${KEYS.ca[0]}`] }
  }
  const next = has(data, KEYS.next) ? attempt(() => authority(data, KEYS.next)) : undefined
  const previous = has(data, KEYS.previous) ? attempt(() => retiring(data)) : undefined
  return { material: { ca, leaf, ...(next && { next }), ...(previous && { previous }) }, faults }
}

/** Every CA whose leaf may be served now or next, PEM. */
export function bundleOf({ ca, next, previous }: Material): string {
  return [ca, next, previous].map((each) => each?.cert ?? '').join('')
}

/** The validity of a certificate, and whom it names. @throws Error when it cannot be read */
export function describe(cert: string): {
  notBefore: Instant
  notAfter: Instant
  names: readonly string[]
} {
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

/** Whether the key is that of the (first) certificate; false as well for what is neither. */
export function belongTogether({ cert, key }: Pair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

class Fault extends Error {}

type Places = readonly [string, string]

function has(data: SecretData, places: Places): boolean {
  return places.some((place) => data[place] !== undefined)
}

function pair(data: SecretData, [certAt, keyAt]: Places): Pair {
  const [cert, key] = [data[certAt], data[keyAt]]
  if (!cert || !key) throw new Fault(`${cert ? keyAt : certAt} is missing`)
  if (!belongTogether({ cert, key })) throw new Fault(`${certAt} and ${keyAt} do not belong together`)
  return { cert, key }
}

function authority(data: SecretData, places: Places): Pair {
  const found = pair(data, places)
  const { ca, publicKey } = new X509Certificate(found.cert)
  if (!ca) throw new Fault(`${places[0]} is not a CA's certificate`)
  // Nothing else can be signed with: it would be served, and never renewed.
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new Fault(`${places[1]} is not an ECDSA P-256 key: made anew`)
  }
  return found
}

function retiring(data: SecretData): Retiring {
  const cert = data[KEYS.previous[0]] ?? ''
  const until = Date.parse(data[KEYS.previous[1]] ?? '')
  if (!isCertificate(cert)) throw new Fault(`${KEYS.previous[0]} is no certificate`)
  return { cert, until: Number.isNaN(until) ? describe(cert).notAfter : until }
}

function isCertificate(cert: string): boolean {
  try {
    return new X509Certificate(cert).ca
  } catch {
    return false
  }
}

function isIssuedBy(cert: string, issuer: string): boolean {
  const [child, parent] = [new X509Certificate(cert), new X509Certificate(issuer)]
  return child.checkIssued(parent) && child.verify(parent.publicKey)
}
