import type * as Controller from '../controller/ports.ts'
import { TokenBucket } from '../token-bucket.ts'
import { Setback } from './setback.ts'

/** In the order in which writes go first. */
const PRIORITIES = ['request', 'wake', 'snooze', 'completion'] as const
export type Priority = (typeof PRIORITIES)[number]

interface Options {
  /** For all writes together; absent: no limit. */
  writesPerSecond?: number | null
  /** For priority `wake`, on top: paces a wave of wakes; absent: no limit. */
  wakesPerSecond?: number | null
  /** Default 10, as many as the pool has sockets. */
  inFlight?: number
  /** Monotonic milliseconds. */
  now?: () => number
}

type Enter = () => void

/**
 * Limits all writes to a rate and to a number in flight, by priority. Requests of the API wait here, and so do second
 * attempts. The keys of a wave wait in the controller's queue, which asks `hasRoom` before it hands one out. One queue
 * for both would be wrong: requests are calls with an answer each, on every replica; keys are the leader's alone. While
 * the cluster answers every write by a fault of its own, all but requests rest in between.
 */
export class WriteGate implements Controller.Pace {
  readonly #waiting: Readonly<Record<Priority, Set<Enter>>> = {
    request: new Set(),
    wake: new Set(),
    snooze: new Set(),
    completion: new Set(),
  }
  readonly #writes: TokenBucket | undefined
  readonly #wakes: TokenBucket | undefined
  readonly #setback = new Setback()
  readonly #now: () => number
  #free: number
  #timer: NodeJS.Timeout | undefined
  #firesAt = 0
  /** Somebody was told that there is no room. */
  #turnedAway = false
  #listener: () => void = () => {}

  constructor({
    writesPerSecond,
    wakesPerSecond,
    inFlight = 10,
    now = () => performance.now(),
  }: Options = {}) {
    this.#writes = bucket(writesPerSecond)
    this.#wakes = bucket(wakesPerSecond)
    this.#free = inFlight
    this.#now = now
  }

  /** Whether a write of this priority would be sent at once; if not, `onRoom`'s listener is called when to ask again. */
  hasRoom(priority: Priority): boolean {
    const now = this.#now()
    this.#admit(now)
    const wait = this.#wait(priority, now)
    if (wait === 0) return true
    this.#turnedAway = true
    this.#callLater(wait, now)
    return false
  }

  /** One listener: the controller's queue. */
  onRoom(listener: () => void): void {
    this.#listener = listener
  }

  /** Runs the task in its turn; while it still waits, the signal makes it throw its reason. */
  async run<T>(priority: Priority, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(priority, signal)
    try {
      const result = await task()
      this.#setback.answered()
      return result
    } catch (error) {
      this.#setback.failed(error, this.#now())
      throw error
    } finally {
      this.#free++
      this.#roomMade()
    }
  }

  #turn(priority: Priority, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const waiting = this.#waiting[priority]
      const leave = () => {
        waiting.delete(enter)
        this.#roomMade()
        reject(signal?.reason)
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.add(enter)
      this.#admit()
    })
  }

  /** Those who wait here go before those who were turned away. */
  #roomMade(): void {
    this.#admit()
    if (!this.#turnedAway) return
    this.#turnedAway = false
    this.#listener()
  }

  #admit(now = this.#now()): void {
    for (const priority of PRIORITIES) {
      for (const enter of this.#waiting[priority]) {
        const wait = this.#wait(priority, now)
        if (wait > 0) {
          this.#callLater(wait, now)
          break
        }
        this.#waiting[priority].delete(enter)
        this.#free--
        this.#writes?.take()
        if (priority === 'wake') this.#wakes?.take()
        enter()
      }
    }
  }

  /** Milliseconds until a write of this priority may be sent; infinite: until another has ended. */
  #wait(priority: Priority, now: number): number {
    if (this.#free === 0) return Number.POSITIVE_INFINITY
    const paced = priority === 'wake' ? this.#wakes?.wait(now) : undefined
    // A person who asks is told at once what the cluster says.
    const rest = priority === 'request' ? 0 : this.#setback.wait(now)
    return Math.max(this.#writes?.wait(now) ?? 0, paced ?? 0, rest)
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

/** A tenth of a second's worth may go at once, so that coarse timers do not lower the rate. */
function bucket(perSecond: number | null | undefined): TokenBucket | undefined {
  return perSecond === null || perSecond === undefined
    ? undefined
    : new TokenBucket(perSecond, Math.max(1, perSecond / 10))
}
