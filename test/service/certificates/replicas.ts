import { X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { SelfSignedCertificates } from '../../../src/service/certificates/self-signed.ts'
import type { Lifetimes } from '../../../src/service/certificates/rotation.ts'
import type { CertificateSource } from '../../../src/service/certificates/source.ts'
import { readCertificate } from '../../../src/service/certificates/x509.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { SharedSecret } from '../../support/shared-secret.ts'

export const LIFETIMES: Lifetimes = { leafLifetime: 600_000, caLifetime: 3_600_000, renewAt: 2 / 3 }
export const NAMES = ['dormouse.dormouse.svc', '127.0.0.1']

/** Replicas over one Secret. The first leads: its bundle is published a moment later. */
export class Replicas {
  /** Begins at the real time, so that a TLS handshake accepts the certificates. */
  readonly time = new FakeTime(Date.now())
  readonly shared = new SharedSecret()
  readonly replicas: SelfSignedCertificates[] = []
  readonly logged: string[] = []
  /** How far the clock of each replica is ahead, in milliseconds. */
  readonly ahead: number[] = []
  /** The bundle that the API server trusts. */
  published = ''
  publishing = true
  /** Certificates that were served although the API server did not trust them, or they had expired. */
  readonly failures: string[] = []
  readonly served = new Set<string>()
  #late = 0

  async start(count: number, lifetimes = LIFETIMES, names: readonly string[] = NAMES): Promise<void> {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void this.logged.push(line) })
    const { later } = this.time
    const first = this.replicas.length
    for (let index = first; index < first + count; index++) {
      const store = this.shared.store(String(index))
      const clock = () => this.time.clock() + (this.ahead[index] ?? 0)
      this.replicas.push(new SelfSignedCertificates({ store, names, lifetimes, clock, logger, later }))
    }
    const started = this.replicas.slice(first)
    if (first === 0) this.replicas[0]?.source.onCaBundle((bundle) => this.#publish(bundle))
    for (const replica of started) replica.source.onChange(() => this.check())
    await Promise.all(started.map((replica) => replica.start()))
    await this.idle()
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()))
  }

  get sources(): CertificateSource[] {
    return this.replicas.map(({ source }) => source)
  }

  /** The leader's. */
  get source(): CertificateSource {
    return this.leader.source
  }

  get leader(): SelfSignedCertificates {
    if (!this.replicas[0]) throw new TypeError('no replica')
    return this.replicas[0]
  }

  /** Resolves once every replica waits for its timer. */
  async idle(): Promise<void> {
    while (this.shared.pending + this.#late > 0 || this.time.armed < this.replicas.length) await sleep(1)
  }

  async moveOn(): Promise<void> {
    this.time.passToNext()
    await this.idle()
    this.check()
  }

  /** Checks that the API server trusts, at this instant, the certificate of every replica. */
  check(): void {
    if (this.published === '') return
    for (const [index, { current }] of this.sources.filter(hasStarted).entries()) {
      this.served.add(current.cert)
      if (!verifies(current.cert, this.published, this.time.clock())) {
        this.failures.push(`replica ${index} at ${new Date(this.time.clock()).toISOString()}`)
      }
    }
  }

  #publish(bundle: string | undefined): void {
    this.#late++
    setTimeout(() => {
      this.#late--
      if (!this.publishing) return
      this.published = bundle ?? ''
      this.check()
      this.leader.published(this.published)
    }, 2)
  }
}

function hasStarted(source: CertificateSource): boolean {
  return source.caBundle !== undefined
}

/** The certificates of a bundle, each as PEM. */
export function split(bundle: string): string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

/** Whether one CA of the bundle signed the leaf, and both are valid now. */
export function verifies(leaf: string, bundle: string, now: number): boolean {
  const child = new X509Certificate(leaf)
  const isValid = (cert: string) => {
    const { notBefore, notAfter } = readCertificate(cert)
    return notBefore <= now && now <= notAfter
  }
  return (
    isValid(leaf) &&
    split(bundle).some((ca) => {
      const parent = new X509Certificate(ca)
      return isValid(ca) && child.checkIssued(parent) && child.verify(parent.publicKey)
    })
  )
}
