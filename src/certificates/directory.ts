import { watch, type FSWatcher } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import type { Clock, Instant, Later } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Certificates, ServingCertificate } from './certificates.ts'
import { Alarm } from './alarm.ts'
import { Broadcast } from './broadcast.ts'
import { belongTogether, describe } from './material.ts'

export interface DirectoryOptions {
  readonly directory: string
  readonly clock: Clock
  readonly log: Logger
  readonly later?: Later
}

interface Files {
  readonly cert: string
  readonly key: string
  /** undefined: there is no ca.crt. */
  readonly ca: string | undefined
}

/** Somebody writes several files: one look, when it has been quiet for so long. */
const QUIET_MS = 50
/** A watch may miss what a network's file system does. */
const LOOK_EVERY_MS = 60_000
/** A kubelet brings the files up to 90 s late, and the replica that publishes the bundle may be that one. */
const SETTLING_MS = 120_000

/**
 * `tls.crt`, `tls.key` and perhaps `ca.crt` in a directory that cert-manager or a person keeps; read again
 * when they change, also where Kubernetes swaps the whole directory by a symbolic link. What does not fit
 * together is not taken: what was served before goes on. A new CA is in the bundle, beside the former one,
 * before a certificate of it is served.
 */
export class DirectoryCertificates implements Certificates {
  readonly name = 'certificates'
  readonly #options: DirectoryOptions
  readonly #alarm: Alarm
  readonly #changes: Broadcast<ServingCertificate>
  readonly #bundles: Broadcast<string | undefined>
  #watcher: FSWatcher | undefined
  /** As they were read last. */
  #files: Files | undefined
  /** The certificate that is served, and the CA that came with it. */
  #served: Files | undefined
  /** The CA of what was served before, and when that runs out. */
  #former: { readonly ca: string; readonly until: Instant } | undefined
  /** When everybody has taken note of the latest change of `ca.crt`. */
  #settledAt: Instant = 0
  #bundle: string | undefined
  #complaint: string | undefined
  #reading: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: DirectoryOptions) {
    this.#options = options
    this.#alarm = new Alarm(options.clock, options.later)
    const failed = (err: unknown) => options.log.error({ err }, 'a listener of the certificates failed')
    this.#changes = new Broadcast(failed)
    this.#bundles = new Broadcast(failed)
  }

  /** @throws Error that says which file is missing or does not fit */
  async start(): Promise<void> {
    const { directory, log } = this.#options
    this.#take(await readFiles(directory))
    this.#settle()
    this.#watcher = watch(directory, { persistent: false }, () => this.#lookIn(QUIET_MS))
    this.#watcher.on('error', (err) => log.warn({ err, directory }, 'the directory cannot be watched'))
    // What changed before the watch stood.
    this.#lookIn(QUIET_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#watcher?.close()
    this.#alarm.clear()
    await this.#reading
  }

  get current(): ServingCertificate {
    const { cert, key } = this.#inService
    return { cert, key }
  }

  get caBundle(): string | undefined {
    return this.#bundle
  }

  get expiresAt(): Instant {
    return describe(this.#inService.cert).notAfter
  }

  onChange(listener: (certificate: ServingCertificate) => void): () => void {
    return this.#changes.listen(listener)
  }

  onCaBundle(listener: (caBundle: string | undefined) => void): () => void {
    return this.#bundles.listen(listener)
  }

  /** Here a new CA waits for time alone: the kubelets' delay outlasts the publication. */
  published(): void {}

  get #inService(): Files {
    if (!this.#served) throw new TypeError('there is no serving certificate before start() has resolved')
    return this.#served
  }

  #lookIn(milliseconds: number): void {
    this.#lookAt(this.#options.clock() + milliseconds)
  }

  #lookAt(at: Instant): void {
    if (this.#stopped) return
    this.#alarm.set(at, () => {
      this.#reading = this.#reading.then(() => this.#look())
    })
  }

  async #look(): Promise<void> {
    const { directory, log, clock } = this.#options
    try {
      this.#take(await readFiles(directory))
      this.#complaint = undefined
    } catch (error) {
      const complaint = error instanceof Error ? error.message : String(error)
      if (complaint !== this.#complaint) log.warn({ complaint }, 'the certificate served before is kept')
      this.#complaint = complaint
    }
    this.#settle()
    const now = clock()
    if (this.#served && now >= this.expiresAt) log.warn({ directory }, 'the certificate has expired')
    const due = [now < this.#settledAt ? this.#settledAt : Infinity, this.#former?.until ?? Infinity]
    this.#lookAt(Math.min(now + LOOK_EVERY_MS, ...due))
  }

  #take(files: Files): void {
    if (this.#files && files.ca !== this.#files.ca) this.#settledAt = this.#options.clock() + SETTLING_MS
    this.#files = files
  }

  /** Serves what was read last, unless it is to wait, and keeps the bundle to what is served and what comes. */
  #settle(): void {
    const [files, before, now] = [this.#files, this.#served, this.#options.clock()]
    if (this.#stopped || !files) return
    const isNew = files.cert !== before?.cert || files.key !== before.key
    const swaps = isNew && !(before && this.#mustWait(before, files, now))
    if (swaps) {
      if (before?.ca !== undefined && before.ca !== files.ca) {
        this.#former = { ca: before.ca, until: describe(before.cert).notAfter }
      }
      this.#served = files
    }
    if (this.#former && now >= this.#former.until) this.#former = undefined
    this.#setBundle(files.ca && bundleOf([files.ca, this.#served?.ca, this.#former?.ca]))
    if (!swaps) return
    const until = new Date(this.expiresAt).toISOString()
    this.#options.log.info({ until }, 'a new certificate is served')
    this.#changes.tell(this.current)
  }

  /** Whether the CA is too new for its certificate to be served, and the former one still will do. */
  #mustWait(before: Files, files: Files, now: Instant): boolean {
    if (before.ca === undefined || files.ca === undefined || before.ca === files.ca) return false
    return now < this.#settledAt && this.#settledAt < describe(before.cert).notAfter
  }

  #setBundle(bundle: string | undefined): void {
    if (bundle === this.#bundle) return
    this.#bundle = bundle
    this.#bundles.tell(bundle)
  }
}

function bundleOf(authorities: readonly (string | undefined)[]): string {
  return [...new Set(authorities.filter((ca) => ca !== undefined))].join('\n')
}

async function readFiles(directory: string): Promise<Files> {
  const [cert, key, ca] = await Promise.all([
    readText(directory, 'tls.crt'),
    readText(directory, 'tls.key'),
    readText(directory, 'ca.crt'),
  ])
  if (cert === undefined || key === undefined) {
    throw new Error(`${join(directory, cert === undefined ? 'tls.crt' : 'tls.key')} is missing`)
  }
  if (!belongTogether({ cert, key })) {
    throw new Error(`tls.crt and tls.key in ${directory} do not belong together, or are half written`)
  }
  if (ca !== undefined && !isReadable(ca)) throw new Error(`${join(directory, 'ca.crt')} is no certificate`)
  return { cert, key, ca }
}

async function readText(directory: string, name: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(directory, name), 'utf8')
    return text.trim() === '' ? undefined : text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isReadable(cert: string): boolean {
  try {
    return new X509Certificate(cert).raw.length > 0
  } catch {
    return false
  }
}
