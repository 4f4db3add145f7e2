import { TokenBucket } from '../token-bucket.ts'

export interface Pace {
  readonly perSecond: number
  readonly burst: number
  /** Under way at once. */
  readonly atOnce: number
  /** That wait; one more is turned away. */
  readonly waiting: number
}

/** Thrown instead of running a task: too many wait already. */
export class Crowded extends Error {
  override readonly name = 'Crowded'
}

/** Holds reads to a rate and a number at once, in the order in which they came. */
export class ReadPace {
  readonly #pace: Pace
  readonly #bucket: TokenBucket
  readonly #waiting = new Set<() => void>()
  readonly #now: () => number
  #underWay = 0
  #timer: NodeJS.Timeout | undefined

  /** `now`: monotonic milliseconds. */
  constructor(pace: Pace, now = () => performance.now()) {
    this.#pace = pace
    this.#bucket = new TokenBucket(pace.perSecond, pace.burst)
    this.#now = now
  }

  /** Runs the task when its turn comes. Throws Crowded, and the signal's reason while it waits. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal)
    try {
      return await task()
    } finally {
      this.#underWay -= 1
      this.#admit()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#pace.waiting) throw new Crowded('too many wait for a read')
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(enter)
        reject(signal.reason)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(enter)
      this.#admit()
    })
  }

  #admit(): void {
    clearTimeout(this.#timer)
    for (const enter of this.#waiting) {
      if (this.#underWay >= this.#pace.atOnce) return
      const wait = this.#bucket.wait(this.#now())
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#admit(), wait)
        return
      }
      this.#bucket.take()
      this.#waiting.delete(enter)
      this.#underWay += 1
      enter()
    }
  }
}
