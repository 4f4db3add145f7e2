import { watch, type FSWatcher } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import type { Clock, Instant, Later } from '../../process/clock.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import { CertificateSource } from './source.ts'
import { Timer } from './timer.ts'
import { belongTogether, readCertificate } from './x509.ts'

interface DirectoryOptions {
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
  readonly later?: Later
}

interface Files {
  readonly cert: string
  readonly key: string
  /** undefined: there is no ca.crt. */
  readonly ca: string | undefined
}

/** Several files are written one after another: read them once nothing has changed for this long. */
const QUIET_MS = 50
/** The file watch may miss changes on a network file system. */
const READ_EVERY_MS = 60_000
/** A kubelet updates the files up to 90 s late, perhaps that of the replica which publishes the bundle. */
const SETTLING_MS = 120_000

/**
 * Serves `tls.crt` and `tls.key`, and trusts `ca.crt` if present, in a directory that cert-manager or a person
 * maintains. Reads the files again when they change, also when Kubernetes swaps the whole directory by a symbolic link.
 * Files that do not fit together change nothing. A new CA is in the bundle, beside the former one, before a certificate
 * of it is served.
 */
export class DirectoryCertificates implements Runnable {
  readonly name = 'certificates'
  readonly source: CertificateSource
  readonly #options: DirectoryOptions
  readonly #timer: Timer
  #watcher: FSWatcher | undefined
  /** The files at the last successful read. */
  #files: Files | undefined
  /** The certificate that is served, and the CA that came with it. */
  #served: Files | undefined
  /** The CA of the certificate that was served before, and when that expires. */
  #former: { readonly ca: string; readonly until: Instant } | undefined
  /** When every replica has read the latest `ca.crt`. */
  #settledAt: Instant = 0
  #loggedFault: string | undefined
  #reading: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: DirectoryOptions) {
    const { clock, logger, later } = options
    this.#options = options
    this.source = new CertificateSource(logger)
    const read = () => void (this.#reading = this.#reading.then(() => this.#readAgain()))
    this.#timer = new Timer(read, clock, later)
  }

  /** @throws Error that names the missing or faulty file */
  async start(): Promise<void> {
    const { directory, logger } = this.#options
    this.#take(await readFiles(directory))
    this.#serve()
    this.#watcher = watch(directory, { persistent: false }, () => this.#readIn(QUIET_MS))
    this.#watcher.on('error', (err) => logger.warn({ err, directory }, 'the directory cannot be watched'))
    // The files may have changed before the watch began.
    this.#readIn(QUIET_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#watcher?.close()
    this.#timer.clear()
    await this.#reading
  }

  #readIn(milliseconds: number): void {
    this.#readAt(this.#options.clock() + milliseconds)
  }

  #readAt(at: Instant): void {
    if (!this.#stopped) this.#timer.set(at)
  }

  async #readAgain(): Promise<void> {
    const { directory, logger, clock } = this.#options
    try {
      this.#take(await readFiles(directory))
      this.#loggedFault = undefined
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      if (fault !== this.#loggedFault) logger.warn({ fault }, 'still serving the certificate from before')
      this.#loggedFault = fault
    }
    this.#serve()
    const now = clock()
    if (this.#served && now >= this.source.expiresAt)
      logger.warn({ directory }, 'the certificate has expired')
    // A file that changed meanwhile has set the timer: keep the earlier time.
    const due = [this.#timer.at, now < this.#settledAt ? this.#settledAt : undefined, this.#former?.until]
    this.#readAt(Math.min(now + READ_EVERY_MS, ...due.map((at) => at ?? Infinity)))
  }

  #take(files: Files): void {
    if (this.#files && files.ca !== this.#files.ca) this.#settledAt = this.#options.clock() + SETTLING_MS
    this.#files = files
  }

  /** Serves the files that were read last, unless their CA is too new. Trusts their CA and that of the served files. */
  #serve(): void {
    const [files, before, now] = [this.#files, this.#served, this.#options.clock()]
    if (this.#stopped || !files) return
    const isNew = files.cert !== before?.cert || files.key !== before.key
    const served = before && (!isNew || this.#mustWait(before, files, now)) ? before : files
    if (served !== before && before?.ca !== undefined && before.ca !== files.ca) {
      this.#former = { ca: before.ca, until: readCertificate(before.cert).notAfter }
    }
    this.#served = served
    if (this.#former && now >= this.#former.until) this.#former = undefined
    const { cert, key, ca } = served
    this.source.set({ cert, key }, files.ca && bundleOf([files.ca, ca, this.#former?.ca]))
  }

  /** Whether the new CA has not settled yet, and the certificate from before lasts until it has. */
  #mustWait(before: Files, files: Files, now: Instant): boolean {
    if (before.ca === undefined || files.ca === undefined || before.ca === files.ca) return false
    return now < this.#settledAt && this.#settledAt < readCertificate(before.cert).notAfter
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
  if (ca !== undefined && !isReadable(ca))
    throw new Error(`${join(directory, 'ca.crt')} is not a certificate`)
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
