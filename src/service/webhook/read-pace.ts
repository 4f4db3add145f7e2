import { TokenBucket } from '../process/token-bucket.ts'

export interface Pace {
  readonly perSecond: number
  readonly burst: number
  readonly atOnce: number
  /** Reads that may wait; one more is refused. */
  readonly waiting: number
}

/** Too many tasks wait already. */
export class Crowded extends Error {
  override readonly name = 'Crowded'
}

/**
 * Runs reads in order, at a limited rate and a few at once. Not p-limit: that has no rate, and a task cannot leave its queue
 * when its time is over.
 */
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

  /** Runs the task in its turn. @throws Crowded, and the signal's reason when that is aborted while the task waits */
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
