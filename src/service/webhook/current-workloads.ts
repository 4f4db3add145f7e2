import { isOlder, keyOf, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import type { LiveReader, Workloads } from './ports.ts'
import { ReadPace, type Pace } from './read-pace.ts'

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
 * Workloads at least as new as a review says: the informer's copy if that is new enough, which costs nothing, otherwise
 * one live read, which all reviews of that workload share.
 */
export class CurrentWorkloads {
  readonly #workloads: Workloads
  readonly #live: LiveReader
  readonly #known = new SharedReads(KNOWN)
  readonly #unknown = new SharedReads(UNKNOWN)

  constructor(workloads: Workloads, live: LiveReader) {
    this.#workloads = workloads
    this.#live = live
  }

  /**
   * undefined: it does not exist, or was created a moment ago and is neither pinned nor overridden yet. A copy newer
   * than the review is right, too: the API server sends another review before it overwrites a newer version.
   * @throws what the live read throws, Crowded, or a TimeoutError
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
