import { TokenBucket } from '../process/token-bucket.ts'
import { ClusterBackoff } from './cluster-backoff.ts'
import { ClusterRefusal } from './failures.ts'
import type { Pace, WritePriority } from './ports.ts'
import { Slots } from './slots.ts'
import { WriteTimes } from './write-times.ts'

/** In the order in which writes go first. */
const PRIORITIES: readonly WritePriority[] = ['request', 'follow-up', 'wake', 'snooze', 'completion']

/** Requests that wait behind slow ones: each holds the place of its answer meanwhile. */
const MOST_SLOW_REQUESTS = 8

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
 * The turn of every write, by these rules:
 *
 * - All writes together keep to a rate. Those of a higher priority go first; wakes have a rate of their own on top.
 * - So many are in flight at once. The controller's writes take none of the places of requests.
 * - In each of these two groups, keys whose last write was slow share two places of their own, so that they delay only each
 *   other. Where slow writes succeed, they were slow and did not hang: then the controller's get more places, and writes
 *   more time, until one hangs again.
 * - While the cluster answers every write with a fault of its own, all but requests and follow-ups pause between writes.
 *
 * Requests of the API wait here, and so do second attempts. The keys of a wave wait in the controller's queue, which asks
 * `hasRoom` before it hands one out. One queue for both would be wrong: requests are calls with an answer each, on every
 * replica; keys are the leader's alone.
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
  readonly #times = new WriteTimes()
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
    return this.#times.isSlow(key)
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
    try {
      const result = await task(priority === 'request' ? undefined : this.#times.limitOf(slow, began))
      this.#clusterBackoff.answered()
      if (slow) this.#slotsOf(priority, slow).widen()
      this.#times.succeeded(key, this.#now() - began, this.#now())
      return result
    } catch (error) {
      this.#failed(error, key, this.#slotsOf(priority, slow), this.#now() - began)
      throw error
    } finally {
      release()
      this.#roomMade()
    }
  }

  #failed(error: unknown, key: string, slots: Slots, milliseconds: number): void {
    const now = this.#now()
    this.#clusterBackoff.failed(error, now)
    const { noAnswer, status } = error instanceof ClusterRefusal ? error : {}
    if (noAnswer === 'hung') {
      slots.narrow()
      this.#times.hung(key)
    }
    // A throttled write waited for the API server's limits, so its key is not slow.
    else if (!noAnswer && status !== 429) this.#times.took(key, milliseconds, now)
  }

  #waitingSlowly(): number {
    return [...this.#waiting.request].filter(({ slow }) => slow).length
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

/** A tenth of a second's worth may go at once, so that coarse timers do not lower the rate. */
function bucket(perSecond: number | null | undefined): TokenBucket | undefined {
  return perSecond === null || perSecond === undefined
    ? undefined
    : new TokenBucket(perSecond, Math.max(1, perSecond / 10))
}
