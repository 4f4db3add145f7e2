import { TokenBucket } from '../process/token-bucket.ts'
import { retryDelay } from '../process/delay.ts'
import { ClusterRefusal, isOfWebhook } from './failures.ts'
import type { Pace, WritePriority } from './ports.ts'

/** In the order in which writes go first. */
const PRIORITIES: readonly WritePriority[] = ['request', 'follow-up', 'wake', 'snooze', 'completion']

/** Milliseconds that a write of the controller may take. */
const LIMIT = {
  ordinary: 5000,
  /** An ordinary one, where writes behind a slow admission webhook succeed. */
  patient: 10_000,
  /** Admission webhooks may take 30 s. */
  slow: 35_000,
} as const
/** A write may take so many times as long as the slowest one that has lately succeeded. */
const PATIENCE = 1.5
/** Milliseconds for which such a success counts. */
const LATELY_MS = 600_000
/** Requests that wait behind slow ones: each holds the place of its answer meanwhile. */
const MOST_SLOW_REQUESTS = 8
/** The most keys that are remembered as slow. */
const SLOW_KEYS = 10_000

interface Options {
  /** For all writes together; absent: no limit. */
  writesPerSecond?: number | null
  /** For priority `wake`, on top: paces a wave of wakes; absent: no limit. */
  wakesPerSecond?: number | null
  /** Default: eleven places in the steady state. */
  places?: Places
  /** Monotonic milliseconds. */
  now?: () => number
}

interface Places {
  readonly requests: Slots
  readonly controller: Slots
  /** For keys whose last write was slow: one for requests, one for the controller. */
  readonly slowRequests: Slots
  readonly slow: Slots
}

/** A write that waits for its turn, and the signals that cancel the wait. */
interface Turn {
  /** The written object: a workload's key, or another name that no workload has. */
  readonly key: string
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  /** Whether it goes through the lane of keys whose last write was slow. */
  readonly slow: boolean
  readonly enter: (release: () => void) => void
}

/**
 * Limits all writes to a rate and to a number in flight, by priority. The controller's writes take none of the places
 * of requests. In each of the two groups, keys whose last write hung share two places of their own, so that they delay
 * only each other. A success proves that a write was slow and did not hang: then the controller's get more places, and
 * writes more time, until one hangs again. Requests of the API wait here, and so do second attempts. The keys of a wave wait in the
 * controller's queue, which asks `hasRoom` before it hands one out. One queue for both would be wrong: requests are
 * calls with an answer each, on every replica; keys are the leader's alone. While the cluster answers every write with
 * a fault of its own, all but requests pause between writes.
 */
export class WriteGate implements Pace {
  readonly #waiting: Readonly<Record<WritePriority, Set<Waiting>>> = {
    request: new Set(),
    'follow-up': new Set(),
    wake: new Set(),
    snooze: new Set(),
    completion: new Set(),
  }
  readonly #writes: TokenBucket | undefined
  readonly #wakes: TokenBucket | undefined
  readonly #clusterBackoff = new ClusterBackoff()
  readonly #now: () => number
  readonly #places: Places
  /** The keys whose last write was slow. */
  readonly #slow = new Set<string>()
  /** The time that an ordinary write gets, and until when (monotonic) that may be more than usual. */
  #patience: { readonly limit: number; readonly until: number } = { limit: LIMIT.ordinary, until: 0 }
  #timer: NodeJS.Timeout | undefined
  #firesAt = 0
  /** Whether `hasRoom` returned false since the last call of the listener. */
  #turnedAway = false
  #listener: () => void = () => {}

  constructor({
    writesPerSecond,
    wakesPerSecond,
    places = steadyPlaces(),
    now = () => performance.now(),
  }: Options = {}) {
    this.#places = places
    this.#writes = bucket(writesPerSecond)
    this.#wakes = bucket(wakesPerSecond)
    this.#now = now
  }

  /** Whether the last write of this key was slow: then its next one goes through a lane of its own. */
  isSlow(key: string): boolean {
    return this.#slow.has(key)
  }

  /** Whether a write of this priority would be sent at once; if not, `onRoom`'s listener is called when it may be. */
  hasRoom(priority: WritePriority, slow = false): boolean {
    const now = this.#now()
    this.#admit(now)
    const wait = this.#wait(priority, slow, now)
    if (wait === 0) return true
    this.#turnedAway = true
    this.#callLater(wait, now)
    return false
  }

  /** One listener: the controller's queue. */
  onRoom(listener: () => void): void {
    this.#listener = listener
  }

  /**
   * Runs the task in its turn; while it still waits, the signal makes it throw its reason. The task gets the
   * milliseconds that its write may take; undefined: as long as any call.
   */
  async run<T>(
    priority: WritePriority,
    task: (limit: number | undefined) => Promise<T>,
    { key, signal }: Turn,
  ): Promise<T> {
    const slow = this.isSlow(key)
    if (slow && priority === 'request' && this.#waitingSlowly() >= MOST_SLOW_REQUESTS) throw crowded(key)
    const release = await this.#turn(priority, slow, signal)
    const began = this.#now()
    const slots = this.#slotsOf(priority, slow)
    try {
      const result = await task(priority === 'request' ? undefined : slow ? LIMIT.slow : this.#limit(began))
      this.#clusterBackoff.answered()
      this.#succeeded(this.#now() - began)
      if (slow) slots.widen()
      this.#took(key, this.#now() - began)
      return result
    } catch (error) {
      this.#clusterBackoff.failed(error, this.#now())
      const noAnswer = error instanceof ClusterRefusal ? error.noAnswer : undefined
      if (noAnswer === 'hung') {
        this.#patience = { limit: LIMIT.ordinary, until: 0 }
        slots.narrow()
        this.#took(key, Number.POSITIVE_INFINITY)
      }
      // A throttled write waited for the API server's limits, so its key is not slow.
      else if (!noAnswer && !isThrottled(error)) this.#took(key, this.#now() - began)
      throw error
    } finally {
      release()
      this.#roomMade()
    }
  }

  #waitingSlowly(): number {
    return [...this.#waiting.request].filter(({ slow }) => slow).length
  }

  /** Milliseconds that an ordinary write may take at this time. */
  #limit(now: number): number {
    return now < this.#patience.until ? this.#patience.limit : LIMIT.ordinary
  }

  #succeeded(milliseconds: number): void {
    const now = this.#now()
    if (milliseconds <= LIMIT.ordinary / PATIENCE) return
    const limit = Math.min(LIMIT.patient, Math.max(this.#limit(now), milliseconds * PATIENCE))
    this.#patience = { limit, until: now + LATELY_MS }
  }

  #took(key: string, milliseconds: number): void {
    this.#slow.delete(key)
    if (milliseconds > this.#limit(this.#now())) this.#slow.add(key)
    const [oldest] = this.#slow
    if (oldest !== undefined && this.#slow.size > SLOW_KEYS) this.#slow.delete(oldest)
  }

  #turn(priority: WritePriority, slow: boolean, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const waiting = this.#waiting[priority]
      const leave = () => {
        waiting.delete(waiter)
        this.#roomMade()
        reject(signal?.reason)
      }
      const enter = (release: () => void) => {
        signal?.removeEventListener('abort', leave)
        resolve(release)
      }
      const waiter = { slow, enter }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.add(waiter)
      this.#admit()
    })
  }

  /** Writes that wait here go before those that `hasRoom` turned away. */
  #roomMade(): void {
    this.#admit()
    if (!this.#turnedAway) return
    this.#turnedAway = false
    this.#listener()
  }

  #admit(now = this.#now()): void {
    for (const priority of PRIORITIES) {
      const full = new Set<boolean>()
      for (const waiter of this.#waiting[priority]) {
        const { slow, enter } = waiter
        if (full.has(slow)) continue
        const wait = this.#wait(priority, slow, now)
        if (wait > 0) {
          this.#callLater(wait, now)
          full.add(slow)
          continue
        }
        this.#waiting[priority].delete(waiter)
        this.#writes?.take()
        if (priority === 'wake') this.#wakes?.take()
        enter(this.#slotsOf(priority, slow).take(now))
      }
    }
  }

  #slotsOf(priority: WritePriority, slow: boolean): Slots {
    const { requests, slowRequests, controller, slow: lane } = this.#places
    if (priority === 'request') return slow ? slowRequests : requests
    return slow ? lane : controller
  }

  /** Milliseconds until a write of this priority may be sent; infinite: until another has ended. */
  #wait(priority: WritePriority, slow: boolean, now: number): number {
    const place = this.#slotsOf(priority, slow).wait(now)
    const paced = priority === 'wake' ? this.#wakes?.wait(now) : undefined
    // A person who asks gets the cluster's answer at once, and a follow-up belongs to a write that it accepted.
    const pause = priority === 'request' || priority === 'follow-up' ? 0 : this.#clusterBackoff.wait(now)
    return Math.max(place, this.#writes?.wait(now) ?? 0, paced ?? 0, pause)
  }

  #callLater(milliseconds: number, now: number): void {
    const at = now + milliseconds
    if (at === Number.POSITIVE_INFINITY || (this.#timer && this.#firesAt <= at)) return
    clearTimeout(this.#timer)
    this.#firesAt = at
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#roomMade()
    }, milliseconds)
  }
}

function steadyPlaces(): Places {
  return {
    requests: new Slots(6, 8),
    controller: new Slots(5, 12),
    slowRequests: new Slots(2, 0),
    slow: new Slots(2, 0, 8),
  }
}

/** @param key of the workload that is slow */
function crowded(key: string): ClusterRefusal {
  const text = `the last write of ${key} took long, as behind an admission webhook that hangs, and others like it are waiting; nothing was changed`
  return new ClusterRefusal('CLUSTER_UNAVAILABLE', text, { status: 0, retryAfter: 10 })
}

function isThrottled(error: unknown): boolean {
  return error instanceof ClusterRefusal && error.status === 429
}

/** A tenth of a second's worth may go at once, so that coarse timers do not lower the rate. */
function bucket(perSecond: number | null | undefined): TokenBucket | undefined {
  return perSecond === null || perSecond === undefined
    ? undefined
    : new TokenBucket(perSecond, Math.max(1, perSecond / 10))
}

/** Milliseconds after which a write in flight makes room for another. Most take a hundredth of it. */
const SLOW_MS = 1000

/**
 * Places for writes in flight: `quick` of them in the steady state. A slow write gives its place to another, so that
 * writes that hang in somebody's admission webhook delay no others; at most `slow` such writes are in flight on top.
 * It may widen to `widest` places. Times are monotonic milliseconds.
 */
export class Slots {
  readonly #narrow: number
  readonly #widest: number
  #quick: number
  readonly #slow: number
  /** When those in flight began, oldest first. */
  readonly #inFlight = new Set<{ readonly since: number }>()

  constructor(quick: number, slow: number, widest = quick) {
    this.#narrow = quick
    this.#widest = widest
    this.#quick = quick
    this.#slow = slow
  }

  /** Gives one place more, where it may. */
  widen(): void {
    this.#quick = Math.min(this.#widest, this.#quick + 1)
  }

  /** Goes back to as many as in the beginning. */
  narrow(): void {
    this.#quick = this.#narrow
  }

  /** Milliseconds until there is a place even if no write ends before; infinite: only once one ends. */
  wait(now: number): number {
    let slow = 0
    for (const { since } of this.#inFlight) {
      if (this.#inFlight.size - slow < this.#quick) return 0
      if (slow === this.#slow) return Number.POSITIVE_INFINITY
      if (now - since < SLOW_MS) return since + SLOW_MS - now
      slow++
    }
    return this.#inFlight.size - slow < this.#quick ? 0 : Number.POSITIVE_INFINITY
  }

  /** Takes a place; the returned function releases it. */
  take(now: number): () => void {
    const place = { since: now }
    this.#inFlight.add(place)
    return () => void this.#inFlight.delete(place)
  }
}

/** Up to this many faults in a row may be chance. */
const TOLERATED = 20
const FIRST_PAUSE_MS = 100
/** Everything is to be caught up within 5 s of the cluster's return. */
const LONGEST_PAUSE_MS = 1000

/**
 * The pause between writes while the cluster answers each of them with a fault of its own (5xx), as while its etcd is
 * away. Each key has its own backoff, but thousands of keys together would use up the rate. Times are monotonic
 * milliseconds.
 */
class ClusterBackoff {
  #faults = 0
  #pauses = 0
  #until = 0

  /** The cluster answered a write. */
  answered(): void {
    this.#faults = 0
    this.#pauses = 0
    this.#until = 0
  }

  /** A write failed at `now`; an error that does not come from the cluster is ignored. */
  failed(error: unknown, now: number): void {
    if (!(error instanceof ClusterRefusal) || error.status === 0) return
    if (error.status < 500 || isOfWebhook(error)) return this.answered()
    this.#faults++
    // Writes in flight together fail together, and count as one more fault.
    if (this.#faults < TOLERATED || now < this.#until) return
    this.#pauses++
    this.#until = now + retryDelay(this.#pauses, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  }

  /** Milliseconds until a write may be sent. */
  wait(now: number): number {
    return Math.max(0, this.#until - now)
  }
}
