import { once } from 'node:events'
import type { Clock, Instant, Later } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Certificates, Lifetimes, ServingCertificate } from './certificates.ts'
import { Alarm } from './alarm.ts'
import { Broadcast } from './broadcast.ts'
import { bundleOf, describe, fromSecretData, toSecretData, type Material } from './material.ts'
import type { Names } from './names.ts'
import { carryOut, nextStep, type Situation } from './rotation.ts'
import type { SecretStore, StoredSecret } from './ports.ts'

export interface SelfSignedOptions {
  readonly store: SecretStore
  readonly names: Names
  readonly lifetimes: Lifetimes
  readonly clock: Clock
  readonly log: Logger
  readonly later?: Later
}

/** The Secret as this replica knows it; no material: what it holds is of no use. */
interface Known {
  readonly resourceVersion: string | undefined
  readonly material: Material | undefined
}

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** More writes in a row than any rotation needs: then something undoes them, and one waits. */
const MOST_STEPS = 10

/**
 * A CA and a serving certificate of our own, in one Secret that all replicas share. Any replica carries out
 * what is due, by compare-and-swap; the others follow by watching. A new CA signs only at the replica that
 * was told of its publication.
 */
export class SelfSignedCertificates implements Certificates {
  readonly name = 'certificates'
  readonly #options: SelfSignedOptions
  readonly #alarm: Alarm
  readonly #stopping = new AbortController()
  readonly #changes: Broadcast<ServingCertificate>
  readonly #bundles: Broadcast<string | undefined>
  #known: Known = { resourceVersion: undefined, material: undefined }
  /** What is served: the latest material that was good. */
  #serving: Material | undefined
  #repairedAt: Instant | undefined
  #publication: { readonly cert: string; readonly at: Instant } | undefined
  #working: Promise<void> | undefined
  #again = false
  #failures = 0
  #watching: Promise<void> | undefined

  constructor(options: SelfSignedOptions) {
    this.#options = options
    this.#alarm = new Alarm(options.clock, options.later)
    const failed = (err: unknown) => options.log.error({ err }, 'a listener of the certificates failed')
    this.#changes = new Broadcast(failed)
    this.#bundles = new Broadcast(failed)
  }

  /** Tries until the cluster lets it; resolves without a certificate only when stopped meanwhile. */
  async start(): Promise<void> {
    const { signal } = this.#stopping
    const ready = new Promise<void>((resolve) => {
      const forget = this.#changes.listen(() => {
        forget()
        resolve()
      })
    })
    this.#watching = this.#options.store.watch((secret) => {
      this.#learn(secret)
      this.#poke()
    }, signal)
    this.#poke()
    await Promise.race([ready, aborted(signal)])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#alarm.clear()
    await this.#working
    await this.#watching
  }

  get current(): ServingCertificate {
    return this.#served.leaf
  }

  get caBundle(): string | undefined {
    return this.#serving && bundleOf(this.#serving)
  }

  get expiresAt(): Instant {
    return describe(this.#served.leaf.cert).notAfter
  }

  onChange(listener: (certificate: ServingCertificate) => void): () => void {
    return this.#changes.listen(listener)
  }

  onCaBundle(listener: (caBundle: string | undefined) => void): () => void {
    return this.#bundles.listen(listener)
  }

  published(caBundle: string): void {
    const next = this.#known.material?.next
    if (!next || this.#publication?.cert === next.cert || !caBundle.includes(next.cert.trim())) return
    this.#publication = { cert: next.cert, at: this.#options.clock() }
    this.#poke()
  }

  get #served(): Material {
    if (!this.#serving) throw new TypeError('there is no serving certificate before start() has resolved')
    return this.#serving
  }

  /** Does what is due, once at a time; what becomes known meanwhile is looked at right after. */
  #poke(): void {
    if (this.#stopping.signal.aborted) return
    this.#again = true
    this.#alarm.clear()
    this.#working ??= this.#work().finally(() => (this.#working = undefined))
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false
      try {
        await this.#rotate()
        this.#failures = 0
      } catch (error) {
        this.#retry(error)
        return
      }
    }
  }

  async #rotate(): Promise<void> {
    const { store, log } = this.#options
    if (this.#known.resourceVersion === undefined) this.#learn(await store.read())
    // What was not valid yet may be by now.
    this.#serveKnown()
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const situation = this.#situation()
      const step = nextStep(situation)
      if (step.do === 'nothing') return this.#arm(step.lookAgainAt)
      const from = this.#known.resourceVersion
      const data = toSecretData(await carryOut(step.do, situation, this.#serving))
      if (this.#stopping.signal.aborted) return
      // What was learned while the keys were made is judged first.
      if (from !== this.#known.resourceVersion) continue
      const written = await (from === undefined ? store.create(data) : store.update(data, from))
      if (written === 'conflict') {
        this.#learn(await store.read())
        continue
      }
      log.info({ step: step.do, because: step.because }, 'the certificates were changed')
      if (step.early) this.#repairedAt = situation.now
      this.#learn(written)
    }
    throw new Error(`the Secret was written ${MOST_STEPS} times and is not as it should be`)
  }

  #situation(): Situation {
    const { names, lifetimes, clock } = this.#options
    const stored = this.#known.material
    const published = this.#publication?.cert === stored?.next?.cert ? this.#publication?.at : undefined
    const now = clock()
    return { stored, now, names, lifetimes, publishedAt: published, repairedAt: this.#repairedAt }
  }

  #learn(secret: StoredSecret | undefined): void {
    const { log } = this.#options
    if (!secret) {
      if (this.#known.resourceVersion !== undefined)
        log.warn('the Secret of the certificates is gone: it is made anew')
      this.#known = { resourceVersion: undefined, material: undefined }
      return
    }
    const { resourceVersion } = secret
    if (resourceVersion === this.#known.resourceVersion) return
    const { material, faults } = fromSecretData(secret.data)
    if (faults.length > 0) log.warn({ faults }, 'the Secret of the certificates is damaged: it is repaired')
    else if (!material && this.#known.material)
      log.warn('the Secret of the certificates was emptied: it is filled anew')
    this.#known = { resourceVersion, material }
    this.#serveKnown()
  }

  /** Unless it has expired, or is not valid yet while what is served is good. */
  #serveKnown(): void {
    const { material } = this.#known
    if (!material || material === this.#serving) return
    const now = this.#options.clock()
    const { notBefore, notAfter } = describe(material.leaf.cert)
    if (now >= notAfter) return
    if (now < notBefore && this.#serving && isValid(this.#serving.leaf.cert, now)) return
    this.#serve(material)
  }

  #serve(material: Material): void {
    const before = this.#serving
    this.#serving = material
    const bundle = bundleOf(material)
    if (!before || bundleOf(before) !== bundle) this.#bundles.tell(bundle)
    if (before?.leaf.cert === material.leaf.cert) return
    const { notAfter } = describe(material.leaf.cert)
    this.#options.log.info({ until: new Date(notAfter).toISOString() }, 'a new certificate is served')
    this.#changes.tell(material.leaf)
  }

  #retry(err: unknown): void {
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++)
    this.#options.log.warn({ err, wait }, 'the certificates could not be seen to, and are tried again')
    this.#arm(this.#options.clock() + wait)
  }

  #arm(at: Instant): void {
    if (!this.#stopping.signal.aborted) this.#alarm.set(at, () => this.#poke())
  }
}

function isValid(cert: string, now: Instant): boolean {
  const { notBefore, notAfter } = describe(cert)
  return notBefore <= now && now < notAfter
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
