import { TokenBucket } from '../token-bucket.ts'

/** In the order in which writes go first. */
export const PRIORITIES = ['request', 'wake', 'snooze', 'completion'] as const
export type Priority = (typeof PRIORITIES)[number]

interface Options {
  /** For all writes together; absent: no limit. */
  writesPerSecond?: number | null
  /** For priority `wake`, on top: paces a wave of wakes; absent: no limit. */
  wakesPerSecond?: number | null
  /** Default 10, as many as the pool has sockets: what waits, waits here, where the order is kept. */
  inFlight?: number
  /** Monotonic milliseconds. */
  now?: () => number
}

type Waiting = () => void

/** Orders writes by priority, and in it by arrival, and holds them to a rate. It has no bound of its own. */
export class WriteGate {
  readonly #waiting: Readonly<Record<Priority, Set<Waiting>>> = {
    request: new Set(),
    wake: new Set(),
    snooze: new Set(),
    completion: new Set(),
  }
  readonly #writes: TokenBucket | undefined
  readonly #wakes: TokenBucket | undefined
  readonly #now: () => number
  #free: number
  #timer: NodeJS.Timeout | undefined

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

  /** Runs the task when its turn comes; while it still waits, the signal makes it throw its reason. */
  async run<T>(priority: Priority, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(priority, signal)
    try {
      return await task()
    } finally {
      this.#free++
      this.#admit()
    }
  }

  #turn(priority: Priority, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const waiting = this.#waiting[priority]
      const leave = () => {
        waiting.delete(enter)
        this.#admit()
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

  #admit(): void {
    clearTimeout(this.#timer)
    while (this.#free > 0) {
      const now = this.#now()
      const priority = PRIORITIES.find((each) => this.#waiting[each].size > 0 && !this.#paced(each, now))
      if (priority === undefined) {
        // Only a paced wake can be left.
        if (this.#waiting.wake.size > 0) this.#again(this.#wakes?.wait(now) ?? 0)
        return
      }
      const wait = this.#writes?.wait(now) ?? 0
      if (wait > 0) return this.#again(wait)
      this.#writes?.take()
      if (priority === 'wake') this.#wakes?.take()
      this.#enter(this.#waiting[priority])
    }
  }

  #paced(priority: Priority, now: number): boolean {
    return priority === 'wake' && this.#wakes !== undefined && this.#wakes.wait(now) > 0
  }

  #enter(waiting: Set<Waiting>): void {
    const [first] = waiting
    if (!first) return
    waiting.delete(first)
    this.#free--
    first()
  }

  #again(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#admit(), milliseconds)
  }
}

/** A tenth of a second's worth may go at once, so that coarse timers do not lower the rate. */
function bucket(perSecond: number | null | undefined): TokenBucket | undefined {
  return perSecond === null || perSecond === undefined
    ? undefined
    : new TokenBucket(perSecond, Math.max(1, perSecond / 10))
}
