import { LRUCache } from 'lru-cache'
import type { Clock } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { TokenBucket } from '../process/token-bucket.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, retryDelay, type Delay } from '../process/delay.ts'
import { countPatch, eventName, eventObject, newEvent, type Recorded } from './event-object.ts'
import { ClusterRefusal } from './failures.ts'
import type { KubernetesObserver, Recorder } from './ports.ts'

interface Options {
  client: Pick<KubernetesClient, 'call'>
  observer: KubernetesObserver
  logger: Logger
  clock: Clock
  delay?: Delay
  /** Monotonic milliseconds. */
  now?: () => number
}

const QUEUE_LIMIT = 1000
const PER_SECOND = 5
const BURST = 20
/** Milliseconds: equal Events no further apart than this are one Event with a count. */
const AGGREGATION_MS = 10 * 60_000
const ATTEMPTS = 5
const FLUSH_MS = 2000

/**
 * Writes Kubernetes Events (`v1`), most of them on workloads: in the background, at a low rate of their own, equal ones
 * as one with a count. It never throws; Events beyond the bounded queue are dropped and counted.
 */
export class EventRecorder implements Runnable, Recorder {
  readonly name = 'events'
  readonly #options: Options
  readonly #delay: Delay
  readonly #now: () => number
  readonly #bucket = new TokenBucket(PER_SECOND, BURST)
  readonly #recent = new LRUCache<string, Recorded>({ max: QUEUE_LIMIT })
  readonly #queue = new Set<Recorded>()
  readonly #stopping = new AbortController()
  readonly #cut = new AbortController()
  #draining: Promise<void> | undefined
  /** Whether the cluster refused the last Event: only the first refusal in a row is logged as a warning. */
  #refused = false

  constructor(options: Options) {
    this.#options = options
    this.#delay = options.delay ?? systemDelay
    this.#now = options.now ?? (() => performance.now())
  }

  async start(): Promise<void> {}

  /** Sends the queued Events, for at most 2 s; drops the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (!this.#draining) return
    const timer = setTimeout(() => this.#cut.abort(), FLUSH_MS)
    await this.#draining
    clearTimeout(timer)
  }

  /** `message` is cut at 1,024 characters. */
  record(...[subject, type, reason, message]: Parameters<Recorder['record']>): void {
    const { clock, observer } = this.#options
    const at = clock()
    const made = newEvent(subject, type, reason, message, at)
    const known = this.#recent.get(made.key)
    const event = known !== undefined && at - known.last < AGGREGATION_MS ? known : made
    if (!this.#queue.has(event) && (this.#queue.size >= QUEUE_LIMIT || this.#stopping.signal.aborted)) {
      observer.eventDropped()
      return
    }
    event.count++
    event.last = at
    this.#recent.set(event.key, event)
    this.#queue.add(event)
    this.#draining ??= this.#drain()
  }

  async #drain(): Promise<void> {
    // Yield: further record() calls in this turn are counted into the same Event before it is sent.
    await Promise.resolve()
    for (const event of this.#queue) {
      await this.#paced()
      if (this.#cut.signal.aborted) break
      this.#queue.delete(event)
      await this.#deliver(event)
    }
    for (const _ of this.#queue) this.#options.observer.eventDropped()
    this.#queue.clear()
    this.#draining = undefined
  }

  /** Resolves when the rate allows one more Event; at once while stopping. */
  async #paced(): Promise<void> {
    for (;;) {
      const wait = this.#stopping.signal.aborted ? 0 : this.#bucket.wait(this.#now())
      if (wait === 0) break
      await this.#delay(wait, this.#stopping.signal).catch(() => {})
    }
    this.#bucket.take()
  }

  async #deliver(event: Recorded): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send(event)
        this.#refused = false
        return
      } catch (error) {
        const code = error instanceof ClusterRefusal ? error.code : undefined
        // The cluster has expired the Event whose count we raise: create a new one.
        const expired = code === 'NOT_FOUND' && event.sent > 0
        if (expired) event.sent = 0
        const retry = expired || code === 'CLUSTER_UNAVAILABLE'
        if (!retry || attempt === ATTEMPTS || this.#cut.signal.aborted) {
          const refused = code === 'CLUSTER_REJECTED'
          const level = refused && !this.#refused ? 'warn' : 'debug'
          this.#options.logger[level]({ err: error, reason: event.reason }, 'an Event could not be written')
          this.#refused = refused
          this.#options.observer.eventDropped()
          return
        }
        await this.#delay(retryDelay(attempt, 250, 2000), this.#cut.signal).catch(() => {})
      }
    }
  }

  async #send(event: Recorded): Promise<void> {
    const { client } = this.#options
    const { count } = event
    const collection = `/api/v1/namespaces/${encodeURIComponent(event.subject.namespace)}/events`
    const common = { resource: 'events', signal: this.#cut.signal } as const
    if (event.sent > 0) {
      const path = `${collection}/${event.name}`
      const contentType = 'application/merge-patch+json'
      const body = countPatch(event)
      await client.call({ ...common, method: 'PATCH', path, contentType, body })
    } else {
      if (event.name === '') event.name = eventName(event.subject)
      const body = eventObject(event)
      await client.call({ ...common, method: 'POST', path: collection, body })
    }
    event.sent = count
  }
}
