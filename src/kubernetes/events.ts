import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Recorder } from '../controller/ports.ts'
import { FIELD_MANAGER, type WorkloadKey } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import { referenceOf, type Call } from './client.ts'
import { delay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal } from './failures.ts'
import type { KubernetesObserver } from './ports.ts'
import { TokenBucket } from '../token-bucket.ts'

export type EventType = 'Normal' | 'Warning'

/** What the recorder needs of `KubernetesClient`. */
export interface Caller {
  call<Answer>(call: Call): Promise<Answer>
}

interface Options {
  caller: Caller
  observer: KubernetesObserver
  logger: Logger
  clock: Clock
  delay?: Delay
  /** Monotonic milliseconds. */
  now?: () => number
}

/** What an Event is about: a workload, or another object by its own reference. */
export type Subject = Versioned &
  (WorkloadKey | { readonly namespace: string; readonly name: string; readonly reference: Reference })

interface Versioned {
  readonly uid: string
  readonly resourceVersion: string
}

interface Reference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

/** One Event, and how often and when it was recorded. */
interface Recorded {
  readonly key: string
  readonly subject: Subject
  readonly type: EventType
  readonly reason: string
  readonly message: string
  readonly name: string
  readonly first: number
  last: number
  count: number
  /** How many of `count` the cluster knows of. */
  sent: number
}

const QUEUE_LIMIT = 1000
const PER_SECOND = 5
const BURST = 20
/** Equal ones within so long are one Event with a count. */
const AGGREGATION_MS = 10 * 60_000
const LONGEST_MESSAGE = 1024
const ATTEMPTS = 5
const FLUSH_MS = 2000

/**
 * Writes Kubernetes Events (`v1`), most of them on workloads: in the background, at a low rate of their own, equal
 * ones as one with a count. Nothing here ever throws; what the bounded queue cannot hold is dropped
 * and counted.
 */
export class EventRecorder implements Runnable, Recorder {
  readonly name = 'events'
  readonly #options: Options
  readonly #delay: Delay
  readonly #now: () => number
  readonly #bucket = new TokenBucket(PER_SECOND, BURST)
  readonly #recent: LRUCache<string, Recorded>
  readonly #queue = new Set<Recorded>()
  readonly #stopping = new AbortController()
  readonly #cut = new AbortController()
  #draining: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
    this.#delay = options.delay ?? delay
    this.#now = options.now ?? (() => performance.now())
    this.#recent = new LRUCache({ max: QUEUE_LIMIT })
  }

  async start(): Promise<void> {}

  /** Sends what waits, for at most 2 s; the rest is dropped. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (!this.#draining) return
    const timer = setTimeout(() => this.#cut.abort(), FLUSH_MS)
    await this.#draining
    clearTimeout(timer)
  }

  record(subject: Subject, type: EventType, reason: string, message: string): void {
    const { clock, observer } = this.#options
    const at = clock()
    const text = message.slice(0, LONGEST_MESSAGE)
    const key = [subject.uid, type, reason, text].join('\n')
    const known = this.#recent.get(key)
    const fresh = known !== undefined && at - known.last < AGGREGATION_MS
    const event = fresh ? known : this.#new(key, subject, type, reason, text, at)
    if (!this.#queue.has(event) && (this.#queue.size >= QUEUE_LIMIT || this.#stopping.signal.aborted)) {
      observer.eventDropped()
      return
    }
    event.count++
    event.last = at
    this.#recent.set(key, event)
    this.#queue.add(event)
    this.#draining ??= this.#drain()
  }

  #new(
    key: string,
    subject: Subject,
    type: EventType,
    reason: string,
    message: string,
    at: number,
  ): Recorded {
    // An Event's name is a DNS subdomain of at most 253 characters.
    const name = `${subject.name.slice(0, 230).replace(/[^a-z0-9]+$/, '')}.${randomBytes(8).toString('hex')}`
    return { key, subject, type, reason, message, name, first: at, last: at, count: 0, sent: 0 }
  }

  async #drain(): Promise<void> {
    // A record() that started this goes on first: what it adds is sent with what it is added to.
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

  /** Holds to the rate, but not while stopping. */
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
        return await this.#send(event)
      } catch (error) {
        const code = error instanceof ClusterRefusal ? error.code : undefined
        // The Event that a count was to be added to has expired: a new one is made.
        const expired = code === 'NOT_FOUND' && event.sent > 0
        if (expired) event.sent = 0
        const retry = expired || code === 'CLUSTER_UNAVAILABLE'
        if (!retry || attempt === ATTEMPTS || this.#cut.signal.aborted) {
          this.#options.logger.debug({ err: error, reason: event.reason }, 'an Event was not taken')
          this.#options.observer.eventDropped()
          return
        }
        await this.#delay(retryDelay(attempt, 250, 2000), this.#cut.signal).catch(() => {})
      }
    }
  }

  async #send(event: Recorded): Promise<void> {
    const { caller } = this.#options
    const { count } = event
    const collection = `/api/v1/namespaces/${encodeURIComponent(event.subject.namespace)}/events`
    const signal = this.#cut.signal
    const common = { resource: 'events', signal } as const
    if (event.sent > 0) {
      const body = { count, lastTimestamp: isoSeconds(event.last) }
      const path = `${collection}/${event.name}`
      const contentType = 'application/merge-patch+json'
      await caller.call({ ...common, method: 'PATCH', verb: 'patch', path, contentType, body })
    } else {
      const body = eventObject(event)
      await caller.call({ ...common, method: 'POST', verb: 'create', path: collection, body })
    }
    event.sent = count
  }
}

/** As `kubectl describe` shows them, beside the controllers' own. */
function eventObject({ subject, type, reason, message, name, first, last, count }: Recorded) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: subject.namespace },
    involvedObject: {
      ...('reference' in subject ? subject.reference : referenceOf(subject)),
      uid: subject.uid,
      resourceVersion: subject.resourceVersion,
    },
    type,
    reason,
    message,
    count,
    firstTimestamp: isoSeconds(first),
    lastTimestamp: isoSeconds(last),
    source: { component: FIELD_MANAGER },
    reportingComponent: FIELD_MANAGER,
  }
}

/** A `meta/v1` Time: RFC 3339 in whole seconds. */
function isoSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
