import { compareVersions, keyOf, type Workload, type WorkloadKey } from '../domain/workload.ts'
import type { LiveReader, Workloads } from './ports.ts'
import { ReadPace, type Pace } from './read-pace.ts'

/** For reviews that name the uid of the informer's copy: whoever cannot read the workload does not know it. */
const KNOWN: Pace = { perSecond: 50, burst: 100, atOnce: 8, waiting: 256 }
/** For all others, which may be forged: they never hold up those. */
const UNKNOWN: Pace = { perSecond: 10, burst: 20, atOnce: 2, waiting: 64 }
/** Milliseconds, waiting included: a review may wait for another's read before its own, and has less than 3 s. */
const LONGEST_READ = 1200

/** What a review says that the workload was when the API server asked. */
export interface Asked {
  readonly uid: string | undefined
  /** A decimal integer. */
  readonly resourceVersion: string
}

/**
 * The workload as it was when the API server asked: the informer's copy where that is as new as the review
 * says, which costs nothing; otherwise one live read, shared by all that ask meanwhile.
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
   * undefined: there is none, or it was created a moment ago, and then nothing holds it yet. A copy newer than the
   * review is current too: the API server asks again before it overwrites what is newer than what it asked about.
   * Throws what the live read throws, Crowded, or a TimeoutError.
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

/** One read at most for a review; those that ask for the same workload meanwhile share it. */
class SharedReads {
  readonly #underWay = new Map<string, Promise<Workload | undefined>>()
  readonly #pace: ReadPace

  constructor(pace: Pace) {
    this.#pace = new ReadPace(pace)
  }

  async at(key: WorkloadKey, asked: Asked, read: Read): Promise<Workload | undefined> {
    const name = keyOf(key)
    const before = this.#underWay.get(name)
    if (before) {
      const shared = await before
      if (!shared || !isOlder(shared, asked)) return shared
      // That read began before the asked version was written; whatever begins now did not.
    }
    return this.#underWay.get(name) ?? this.#begin(name, read)
  }

  async #begin(name: string, read: Read): Promise<Workload | undefined> {
    const signal = AbortSignal.timeout(LONGEST_READ)
    const reading = this.#pace.run(() => read(signal), signal)
    this.#underWay.set(name, reading)
    try {
      return await reading
    } finally {
      this.#underWay.delete(name)
    }
  }
}

function isOlder(copy: Workload, { resourceVersion }: Asked): boolean {
  return compareVersions(copy.resourceVersion, resourceVersion) < 0
}
