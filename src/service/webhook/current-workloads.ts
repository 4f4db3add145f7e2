import { TokenBucket } from '../../process/token-bucket.ts'
import { isOlder, keyOf, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import type { Copies, LiveReader } from '../../kubernetes/ports.ts'

interface Pace {
  readonly perSecond: number
  readonly burst: number
  readonly atOnce: number
  /** Reads that may wait; one more is refused. */
  readonly waiting: number
}

/** For reviews that name the uid of the informer's copy: only those who can read the workload know it. */
const KNOWN: Pace = { perSecond: 50, burst: 100, atOnce: 8, waiting: 256 }
/** For all other reviews, which may be forged: they never delay the former. */
const UNKNOWN: Pace = { perSecond: 10, burst: 20, atOnce: 2, waiting: 64 }
/** Milliseconds, waiting included. A review may wait for two such reads, and has less than 3 s. */
const LONGEST_READ = 1200

/** The workload's version at the API server when it sent the review. */
export interface Asked {
  readonly uid: string | undefined
  /** A decimal integer. */
  readonly resourceVersion: string
}

/**
 * Copies at least as new as a review: the informer's copy if that is new enough, which costs nothing, otherwise one
 * live read, which all reviews of that workload share.
 */
export class CurrentWorkloads {
  readonly #workloads: Copies
  readonly #live: LiveReader
  readonly #known = new SharedReads(KNOWN)
  readonly #unknown = new SharedReads(UNKNOWN)

  constructor(workloads: Copies, live: LiveReader) {
    this.#workloads = workloads
    this.#live = live
  }

  /**
   * undefined: it does not exist, or was created a moment ago and is neither pinned nor overridden yet. A copy newer
   * than the review is fine: the API server sends another review before it overwrites a newer version.
   * @throws errors of the live read, Crowded, or a TimeoutError
   */
  async at(key: WorkloadKey, asked: Asked): Promise<Workload | undefined> {
    const copy = this.#workloads.get(key)
    if (copy && !isOlder(copy, asked)) return copy
    const isKnown = copy !== undefined && copy.uid === asked.uid
    if (!isKnown && this.#workloads.isConnected(key.kind)) return undefined
    const reads = isKnown ? this.#known : this.#unknown
    return reads.at(key, asked, (signal) => this.#live.read(key, signal))
  }
}

type Read = (signal: AbortSignal) => Promise<Workload | undefined>

/** At most one read for each review; reviews of the same workload share it. */
class SharedReads {
  readonly #running = new Map<string, Promise<Workload | undefined>>()
  readonly #pace: ReadPace

  constructor(pace: Pace) {
    this.#pace = new ReadPace(pace)
  }

  async at(key: WorkloadKey, asked: Asked, read: Read): Promise<Workload | undefined> {
    const name = keyOf(key)
    const before = this.#running.get(name)
    if (before) {
      const shared = await before
      if (!shared || !isOlder(shared, asked)) return shared
      // That read began before the version of this review was written; a read that begins now did not.
    }
    return this.#running.get(name) ?? this.#begin(name, read)
  }

  async #begin(name: string, read: Read): Promise<Workload | undefined> {
    const signal = AbortSignal.timeout(LONGEST_READ)
    const reading = this.#pace.run(() => read(signal), signal)
    this.#running.set(name, reading)
    try {
      return await reading
    } finally {
      this.#running.delete(name)
    }
  }
}

/** Too many tasks wait already. */
export class Crowded extends Error {
  override readonly name = 'Crowded'
}

/**
 * Runs reads in order, at a limited rate and a few at once. Not p-limit: that has no rate, and a task cannot leave its queue
 * when its time is over.
 */
class ReadPace {
  readonly #pace: Pace
  readonly #bucket: TokenBucket
  readonly #waiting = new Set<() => void>()
  #underWay = 0
  #timer: NodeJS.Timeout | undefined

  constructor(pace: Pace) {
    this.#pace = pace
    this.#bucket = new TokenBucket(pace.perSecond, pace.burst)
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
      const wait = this.#bucket.wait(performance.now())
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
