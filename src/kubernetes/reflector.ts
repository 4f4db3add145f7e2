import type { Kind } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { WatchEvent, WorkloadList, WorkloadObject } from './api-object.ts'
import { retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal, refusalOf } from './failures.ts'
import type { KubernetesObserver } from './ports.ts'
import { compareVersions } from '../domain/workload.ts'

/** What a reflector needs of `KubernetesClient`. */
export interface Lister {
  listPage(kind: Kind, limit: number, continueToken: string, signal: AbortSignal): Promise<WorkloadList>
  watch(
    kind: Kind,
    options: { resourceVersion: string; timeoutSeconds: number; silence: number; signal: AbortSignal },
  ): Promise<AsyncIterable<WatchEvent>>
}

/** Where what is listed and watched goes. */
export interface Sink {
  put(object: WorkloadObject, backwards: boolean): void
  delete(object: WorkloadObject): void
  /** A list is complete: what is not in it and not newer than it is gone. */
  retain(listed: ReadonlySet<string>, resourceVersion: string, backwards: boolean): void
}

interface Options {
  kind: Kind
  lister: Lister
  sink: Sink
  observer: KubernetesObserver
  logger: Logger
  delay: Delay
  /** Milliseconds without an event or bookmark after which a watch is replaced; bookmarks come each minute. */
  silence: number
  pageSize: number
}

interface Progress {
  /** A list is complete. */
  listed(): void
  /** `connected` changed. */
  connected(connected: boolean): void
  /** So many times in a row, counted from 1: no list, or no watch that said anything; `error` is the latest. */
  failed(times: number, error: unknown): void
}

const FIRST_RETRY_MS = 100
/** So that everything is caught up soon after the API server's return. */
const LONGEST_RETRY_MS = 2000
const LONGEST_RETRY_AFTER_S = 30

/** Keeps a sink up to date with one kind: lists in pages, watches on from there, and never gives up. */
export class Reflector {
  readonly #options: Options
  /** Where the next watch begins; undefined: list first. */
  #resourceVersion: string | undefined
  /** The newest version ever seen, also across lists. */
  #newest: string | undefined
  #failures = 0
  /** Whether the latest failure was an answer of the cluster. */
  #answered = false
  #connected = false
  #heard = false
  /** Ends the present watch. */
  #doubt = new AbortController()
  #progress: Progress | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Whether a watch stands, or stood and is just being replaced in the ordinary way. */
  get connected(): boolean {
    return this.#connected
  }

  /** A call found nobody there, which a watch may be the last to notice: it is begun anew. */
  suspect(error: ClusterRefusal): void {
    if (!this.#connected) return
    this.#connect(false)
    this.#doubt.abort(error)
  }

  /** Resolves when the signal is aborted, never before. */
  async run(signal: AbortSignal, progress: Progress): Promise<void> {
    this.#progress = progress
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) {
          await this.#list(signal)
          progress.listed()
        }
        await this.#watch(signal, this.#resourceVersion ?? '')
        if (!signal.aborted) await this.#pause('ended', undefined, signal)
      } catch (error) {
        if (signal.aborted) return
        await this.#recover(error, signal)
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { kind, lister, sink, pageSize } = this.#options
    const listed = new Set<string>()
    let version: string | undefined
    let backwards = false
    let token = ''
    do {
      const page = await lister.listPage(kind, pageSize, token, signal)
      // All pages show the state at the first one's version.
      version ??= page.metadata.resourceVersion
      backwards = this.#newest !== undefined && compareVersions(version, this.#newest) < 0
      for (const object of page.items ?? []) {
        listed.add(`${object.metadata.namespace ?? ''}/${object.metadata.name}`)
        sink.put(object, backwards)
      }
      token = page.metadata.continue ?? ''
    } while (token !== '')
    sink.retain(listed, version, backwards)
    this.#resourceVersion = version
    this.#newest = version
  }

  async #watch(stop: AbortSignal, resourceVersion: string): Promise<void> {
    const { kind, lister, silence } = this.#options
    this.#heard = false
    this.#doubt = new AbortController()
    const signal = AbortSignal.any([stop, this.#doubt.signal])
    const timeoutSeconds = 300 + Math.floor(Math.random() * 300)
    const events = await lister.watch(kind, { resourceVersion, timeoutSeconds, silence, signal })
    if (!this.#connected) this.#options.logger.info({ kind }, 'watching')
    this.#connect(true)
    for await (const event of events) this.#take(event)
  }

  #connect(connected: boolean): void {
    if (this.#connected === connected) return
    this.#connected = connected
    this.#progress?.connected(connected)
  }

  #take(event: WatchEvent): void {
    const { kind, sink } = this.#options
    if (event.type === 'ERROR') throw refusalOf(`watch ${kind}`, event.object.code ?? 500, event.object)
    this.#heard = true
    this.#failures = 0
    if (event.type === 'DELETED') sink.delete(event.object)
    else if (event.type !== 'BOOKMARK') sink.put(event.object, false)
    this.#resourceVersion = event.object.metadata.resourceVersion
    this.#newest = this.#resourceVersion
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const reason = reasonOf(error)
    const { kind, logger } = this.#options
    // A watch that never said anything may be one from a version that the cluster does not know.
    const relist = RELISTS.has(reason) || (reason === 'silent' && !this.#heard)
    if (relist) this.#resourceVersion = undefined
    this.#connect(false)
    // A cluster that answers again is back: what it refuses while it starts is soon asked for again.
    const answered = error instanceof ClusterRefusal && error.noAnswer === undefined
    if (answered && !this.#answered) this.#failures = 0
    this.#answered = answered
    const level = this.#failures === 0 ? 'warn' : 'debug'
    logger[level](
      { kind, reason, relist, error: explain(error) },
      'a watch or list failed and is tried again',
    )
    this.#progress?.failed(this.#failures + 1, error)
    await this.#pause(reason, error, signal)
  }

  async #pause(reason: string, error: unknown, signal: AbortSignal): Promise<void> {
    const { kind, observer, delay } = this.#options
    observer.watchRestarted(kind, reason)
    this.#failures++
    const asked = error instanceof ClusterRefusal && error.status === 429 ? (error.retryAfter ?? 0) : 0
    const pause = retryDelay(this.#failures, FIRST_RETRY_MS, LONGEST_RETRY_MS)
    await delay(Math.min(asked, LONGEST_RETRY_AFTER_S) * 1000 + pause, signal).catch(() => {})
  }
}

/** Reasons after which the last version is of no more use. */
const RELISTS: ReadonlySet<string> = new Set(['expired', 'unreadable'])

/** A bounded set of words, for a metric's label. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ClusterRefusal)) return 'unreadable'
  if (error.noAnswer !== undefined) return error.noAnswer
  if (error.status === 410) return 'expired'
  if (error.status === 429) return 'throttled'
  return error.status >= 500 ? 'failed' : 'refused'
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
