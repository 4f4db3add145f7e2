import { compareVersions } from '../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import { standstill, type Standstill } from '../process/standstill.ts'
import type { KubernetesObject, WatchEvent } from './api-object.ts'
import type { Collection, KubernetesClient } from './client.ts'
import { retryDelay, type Delay } from '../process/delay.ts'
import { Continuity } from './continuity.ts'
import { ClusterRefusal, refusalOf } from './failures.ts'

/**
 * Whether a list counts more than a copy of this version: the copy is no newer than the list, or the cluster was
 * restored from a backup. Otherwise a copy newer than the list was written after it.
 */
export type Outranks = (version: string) => boolean

/** For watches: an event replaces only older copies. */
export const OUTRANKS_NONE: Outranks = () => false

/** Receives the objects that are listed and watched. */
export interface Sink<Watched> {
  /**
   * Keeps the object, unless its copy is newer. `outranks` is asked only about such a copy: true means that the cluster
   * was restored from a backup, and the copy goes back to the object.
   */
  put(object: Watched, outranks: Outranks): void
  delete(object: Watched): void
  /** A list is complete, its objects as `namespace/name`: deletes each copy that it lacks and outranks. */
  retain(listed: ReadonlySet<string>, outranks: Outranks, resourceVersion: string): void
}

export interface ReflectorOptions<Watched> {
  readonly client: Pick<KubernetesClient, 'listPage' | 'watch'>
  readonly collection: Collection
  readonly sink: Sink<Watched>
  readonly logger: Pick<Logger, 'warn' | 'debug'>
  readonly delay: Delay
  /** Milliseconds without an event or bookmark after which a watch is replaced; default 33,000. */
  readonly silence?: number | undefined
  /**
   * Seconds after which the API server is to end a watch, with a bookmark just before; default 30. A watch that is
   * silent for longer is broken; bookmarks alone, one a minute, would show that much later.
   */
  readonly watchSeconds?: number | undefined
  /** Objects in one page of a list; default 500. */
  readonly pageSize?: number | undefined
  /** Tells whether this process was suspended; default: its own. */
  readonly standstill?: Pick<Standstill, 'since'> | undefined
  /** Milliseconds: the longest pause before a retry. Default 2,000, so that we catch up soon after an outage. */
  readonly longestRetry?: number
}

/** Callbacks about a reflector's lists and watches. */
export interface Progress {
  /** A list is complete. */
  listed?(): void
  /** The list just completed proves that the cluster was restored from a backup. */
  restored?(): void
  /** `connected` changed. */
  connected?(connected: boolean): void
  /** A watch ended or a list or watch failed, and is retried; `reason` is from a fixed set. */
  restarted?(reason: string): void
  /** A list or watch failed; `times` counts failures in a row from 1, reset by any event of a watch. */
  failed?(times: number, error: unknown): void
}

/** After so many failures in a row, `start` no longer waits for the first list. */
export const FAILING = 3

const WATCH_SECONDS = 30
const SILENCE_MS = 33_000
const FIRST_RETRY_MS = 100
const LONGEST_ABSENT_MS = 10_000
const LONGEST_RETRY_AFTER_S = 30

/**
 * Keeps a sink up to date with one collection: lists it in pages, watches on from there, retries every failure, and
 * never gives up. `Continuity` knows when a list has to come before the next watch.
 */
export class Reflector<Watched extends KubernetesObject> {
  readonly #options: ReflectorOptions<Watched>
  readonly #progress: Progress
  readonly #continuity: Continuity
  #connected = false
  /** Whether a list since the last complete one proves that the cluster was restored from a backup. */
  #proved = false
  #failures = 0
  /** Whether a failure was logged since the last event of a watch; the normal end of a watch is not a failure. */
  #warned = false
  /** Whether the cluster answered the latest failed call. */
  #answered = false
  /** Aborted to replace the present watch. */
  #doubt = new AbortController()

  constructor(options: ReflectorOptions<Watched>, progress: Progress = {}) {
    this.#options = options
    this.#progress = progress
    this.#continuity = new Continuity(options.collection.resource, options.standstill ?? standstill())
  }

  /** Whether a watch is connected, or is being replaced after the server ended it as usual. */
  get connected(): boolean {
    return this.#connected
  }

  /** Replaces the watch: a call could not reach the cluster, and a watch may be the last to notice. */
  suspect(error: ClusterRefusal): void {
    if (!this.#connected) return
    this.#connect(false)
    this.#doubt.abort(error)
  }

  /** Resolves when the signal is aborted, never before; never rejects. Then nothing more reaches the sink. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const from = this.#continuity.from ?? (await this.#list(signal))
        const ended = await this.#watch(signal, from)
        if (signal.aborted) return
        if (ended === 'in time') {
          this.#continuity.endedInTime()
          continue
        }
        this.#continuity.endedEarly()
        await this.#pause('ended', undefined, signal)
      } catch (error) {
        if (signal.aborted) return
        await this.#recover(error, signal)
      }
    }
  }

  /** Resolves with the list's version. */
  async #list(signal: AbortSignal): Promise<string> {
    this.#continuity.listBegins()
    const ended = new AbortController()
    try {
      const version = await this.#readPages(AbortSignal.any([signal, ended.signal]))
      this.#progress.listed?.()
      return version
    } finally {
      // Cancels the next page, which may already be in flight.
      ended.abort()
    }
  }

  async #readPages(signal: AbortSignal): Promise<string> {
    const { client, collection, sink, pageSize = 500 } = this.#options
    const ask = (token: string) => client.listPage<Watched>(collection, pageSize, token, signal)
    const listed = new Set<string>()
    let page = await ask('')
    // All pages show the state at the first one's version.
    const version = page.metadata.resourceVersion
    const isRestored = this.#continuity.isRestored(version)
    this.#proved ||= isRestored
    const outranks: Outranks = (copy) => isRestored || compareVersions(copy, version) <= 0
    const proves: Outranks = (copy) => {
      const yes = outranks(copy)
      this.#proved ||= yes
      return yes
    }
    for (;;) {
      const token = page.metadata.continue ?? ''
      // The API server makes the next page while we read this one.
      const next = token === '' ? undefined : ask(token)
      next?.catch(() => {})
      for await (const object of page.items) {
        signal.throwIfAborted()
        listed.add(`${object.metadata.namespace ?? ''}/${object.metadata.name}`)
        sink.put(object, proves)
      }
      if (!next) break
      page = await next
    }
    signal.throwIfAborted()
    sink.retain(listed, outranks, version)
    this.#continuity.listed(version)
    if (this.#proved) this.#restored()
    return version
  }

  #restored(): void {
    const { collection, logger } = this.#options
    this.#proved = false
    logger.warn(
      { kind: collection.resource },
      'the cluster was restored from a backup: its list is the truth',
    )
    this.#progress.restored?.()
  }

  /** Resolves when the server has ended the watch: at the requested time, or early. */
  async #watch(stop: AbortSignal, resourceVersion: string): Promise<'early' | 'in time'> {
    const { client, collection, silence = SILENCE_MS, watchSeconds = WATCH_SECONDS } = this.#options
    this.#continuity.watchBegins()
    this.#doubt = new AbortController()
    const signal = AbortSignal.any([stop, this.#doubt.signal])
    const begun = performance.now()
    const options = { resourceVersion, timeoutSeconds: watchSeconds, silence, signal }
    const events = await client.watch<Watched>(collection, options)
    this.#continuity.watchConnected()
    this.#connect(true)
    try {
      for await (const event of events) {
        signal.throwIfAborted()
        this.#take(event)
      }
    } finally {
      this.#continuity.watchEnded()
    }
    // The server's clock ends it, and may be a little faster than ours.
    return performance.now() - begun < (watchSeconds - 1) * 1000 ? 'early' : 'in time'
  }

  #connect(connected: boolean): void {
    if (this.#connected === connected) return
    this.#connected = connected
    this.#progress.connected?.(connected)
  }

  #take(event: WatchEvent<Watched>): void {
    const { collection, sink } = this.#options
    if (event.type === 'ERROR') {
      throw refusalOf(`watch ${collection.resource}`, event.object.code ?? 500, event.object)
    }
    const { resourceVersion } = event.object.metadata
    this.#continuity.event(event.type, resourceVersion)
    this.#failures = 0
    this.#warned = false
    if (event.type === 'DELETED') sink.delete(event.object)
    else if (event.type !== 'BOOKMARK') sink.put(event.object, OUTRANKS_NONE)
    this.#continuity.stored(resourceVersion)
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const reason = reasonOf(error)
    const { collection, logger } = this.#options
    const answered = error instanceof ClusterRefusal && error.noAnswer === undefined
    // Nothing is served where it was watched: a list finds out where it is now.
    const left = answered && error.status === 404
    const isSilent = reason === 'silent'
    const relist = this.#continuity.failed({ answered, isSilent, relist: RELISTS.has(reason) || left })
    this.#connect(false)
    // A cluster that answers again is back, and refuses only while it starts: restart with short pauses.
    if (answered && !this.#answered) {
      this.#failures = 0
      this.#warned = false
    }
    this.#answered = answered
    const level = this.#warned ? 'debug' : 'warn'
    this.#warned = true
    const about = { kind: collection.resource, reason, relist, error: explain(error) }
    logger[level](about, 'a watch or list failed and is tried again')
    this.#progress.failed?.(this.#failures + 1, error)
    await this.#pause(reason, error, signal)
  }

  async #pause(reason: string, error: unknown, signal: AbortSignal): Promise<void> {
    const { collection, delay, longestRetry = 2000 } = this.#options
    this.#progress.restarted?.(reason)
    this.#failures++
    const asked = error instanceof ClusterRefusal && error.status === 429 ? (error.retryAfter ?? 0) : 0
    // A configured kind that the cluster does not serve may never appear.
    const longest = collection.discover && this.#answered ? LONGEST_ABSENT_MS : longestRetry
    const pause = retryDelay(this.#failures, FIRST_RETRY_MS, longest)
    await delay(Math.min(asked, LONGEST_RETRY_AFTER_S) * 1000 + pause, signal).catch(() => {})
  }
}

/** The reason of a failed list or watch, as a metric's label. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ClusterRefusal)) return 'unreadable'
  if (error.noAnswer !== undefined) return error.noAnswer
  if (error.status === 410) return 'expired'
  if (error.status === 429) return 'throttled'
  return error.status >= 500 ? 'failed' : 'refused'
}

/** Reasons after which the last version cannot be used any more. */
const RELISTS: ReadonlySet<string> = new Set(['expired', 'unreadable'])

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
