import { once } from 'node:events'
import type { Clock, Instant, Later } from '../../process/clock.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import type { Names } from './issue.ts'
import type { SecretStore, StoredSecret } from '../../kubernetes/ports.ts'
import { certificatesAfter, nextStep, type Lifetimes, type Situation } from './rotation.ts'
import { bundleOf, fromSecretData, toSecretData, type CertificateSet } from './secret-data.ts'
import { CertificateSource } from './source.ts'
import { Timer } from './timer.ts'
import { readCertificate } from './x509.ts'

interface SelfSignedOptions {
  readonly store: SecretStore
  readonly names: Names
  readonly lifetimes: Lifetimes
  readonly clock: Clock
  readonly logger: Logger
  readonly later?: Later
}

/** The Secret as this replica knows it. */
interface Known {
  /** undefined: there is no Secret, or it was not read yet. */
  readonly resourceVersion: string | undefined
  /** undefined: its content is not usable. */
  readonly set: CertificateSet | undefined
}

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** No rotation needs more writes in a row; beyond that another writer undoes them, so we back off. */
const MOST_STEPS = 10

/**
 * Issues a CA and a serving certificate, and keeps them in one Secret that all replicas share. Any replica takes the
 * step that is due, by compare-and-swap; the others follow by watching. Only the replica that observed a new CA's
 * publication lets it sign.
 */
export class SelfSignedCertificates implements Runnable {
  readonly name = 'certificates'
  readonly source: CertificateSource
  readonly #options: SelfSignedOptions
  readonly #timer: Timer
  readonly #stopping = new AbortController()
  #known: Known = { resourceVersion: undefined, set: undefined }
  #serving: CertificateSet | undefined
  #repairedAt: Instant | undefined
  #publication: { readonly cert: string; readonly at: Instant } | undefined
  #rotating: Promise<void> | undefined
  #again = false
  #failures = 0
  #watching: Promise<void> | undefined

  constructor(options: SelfSignedOptions) {
    this.#options = options
    this.source = new CertificateSource(options.logger)
    this.#timer = new Timer(() => this.#rotate(), options.clock, options.later)
  }

  /** Retries until there is a certificate; without one it resolves only when stopped. */
  async start(): Promise<void> {
    const { signal } = this.#stopping
    const ready = new Promise<void>((resolve) => {
      const forget = this.source.onChange(() => {
        forget()
        resolve()
      })
    })
    this.#watching = this.#options.store.watch((secret) => {
      this.#learn(secret)
      this.#rotate()
    }, signal)
    this.#rotate()
    await Promise.race([ready, aborted(signal)])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#timer.clear()
    await this.#rotating
    await this.#watching
  }

  /** Call it whenever the API server is observed to have this bundle: a new CA signs only after that. */
  published(caBundle: string): void {
    const next = this.#known.set?.next
    if (!next || this.#publication?.cert === next.cert || !caBundle.includes(next.cert.trim())) return
    this.#publication = { cert: next.cert, at: this.#options.clock() }
    this.#rotate()
  }

  /** Takes the steps that are due now. A call while that is under way causes another round. */
  #rotate(): void {
    if (this.#stopping.signal.aborted) return
    this.#again = true
    this.#timer.clear()
    this.#rotating ??= this.#rotateOrRetry()
  }

  async #rotateOrRetry(): Promise<void> {
    try {
      while (this.#again && !this.#stopping.signal.aborted) {
        this.#again = false
        await this.#takeSteps()
        this.#failures = 0
      }
    } catch (error) {
      this.#retry(error)
    } finally {
      // Reset at once, so that a later request starts a new round.
      this.#rotating = undefined
    }
  }

  async #takeSteps(): Promise<void> {
    const { store, logger } = this.#options
    if (this.#known.resourceVersion === undefined) this.#learn(await store.read())
    // A certificate that was not valid yet may be by now.
    this.#serveKnown()
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const situation = this.#situation()
      const step = nextStep(situation)
      if (step.do === 'nothing') return this.#lookAgain(step.lookAgainAt)
      const from = this.#known.resourceVersion
      const data = toSecretData(await certificatesAfter(step.do, situation, this.#serving))
      if (this.#stopping.signal.aborted) return
      // The Secret changed while the keys were made: look at it first.
      if (from !== this.#known.resourceVersion) continue
      const written = await (from === undefined ? store.create(data) : store.update(data, from))
      if (written === 'conflict') {
        this.#learn(await store.read())
        continue
      }
      logger.info({ step: step.do, because: step.because }, 'wrote the Secret of the certificates')
      if (step.early) this.#repairedAt = situation.now
      this.#learn(written)
    }
    throw new Error(`the Secret of the certificates still needs a change after ${MOST_STEPS} writes`)
  }

  #situation(): Situation {
    const { names, lifetimes, clock } = this.#options
    const now = clock()
    const stored = this.#known.set
    // A clock that was set back since must not make it wait until that time comes again.
    if (this.#publication && this.#publication.at > now) this.#publication = { ...this.#publication, at: now }
    const publishedAt = this.#publication?.cert === stored?.next?.cert ? this.#publication?.at : undefined
    return { stored, now, names, lifetimes, publishedAt, repairedAt: this.#repairedAt }
  }

  #learn(secret: StoredSecret | undefined): void {
    const { logger } = this.#options
    if (!secret) {
      if (this.#known.resourceVersion !== undefined)
        logger.warn('the Secret of the certificates was deleted: creating a new one')
      this.#known = { resourceVersion: undefined, set: undefined }
      return
    }
    const { resourceVersion } = secret
    if (resourceVersion === this.#known.resourceVersion) return
    const { set, faults } = fromSecretData(secret.data)
    if (faults.length > 0) logger.warn({ faults }, 'the Secret of the certificates is damaged: repairing it')
    else if (!set && this.#known.set) logger.warn('the Secret of the certificates was emptied: filling it')
    this.#known = { resourceVersion, set }
    this.#serveKnown()
  }

  /** Serves the certificate in the Secret, unless it has expired, or is not valid yet while the served one is. */
  #serveKnown(): void {
    const { set } = this.#known
    if (!set || set === this.#serving) return
    const now = this.#options.clock()
    const { notBefore, notAfter } = readCertificate(set.leaf.cert)
    if (now >= notAfter) return
    if (now < notBefore && this.#serving && isValid(this.#serving.leaf.cert, now)) return
    this.#serving = set
    this.source.set(set.leaf, bundleOf(set))
  }

  #retry(err: unknown): void {
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++)
    this.#options.logger.warn({ err }, `certificate rotation failed; retrying in ${wait / 1000} s`)
    this.#lookAgain(this.#options.clock() + wait)
  }

  #lookAgain(at: Instant): void {
    if (!this.#stopping.signal.aborted) this.#timer.set(at)
  }
}

function isValid(cert: string, now: Instant): boolean {
  const { notBefore, notAfter } = readCertificate(cert)
  return notBefore <= now && now < notAfter
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
