import { keyOf, type Workload, type WorkloadKey } from '../domain/workload.ts'
import type { LiveReader, Workloads } from './ports.ts'

/** Live reads under way at once; what comes beyond that waits for one of them. */
const MOST_READS = 8
/** Reviews that wait; one more is answered as if its read had come too late. */
const MOST_WAITING = 256
/** Milliseconds, waiting included: a review may need two, and has less than 3 s. */
const LONGEST_READ = 1200

/**
 * The workload as it was when the API server asked: the informer's copy where its resourceVersion is the
 * asked one, which costs nothing; otherwise one live read, shared by all that ask meanwhile.
 */
export class CurrentWorkloads {
  readonly #workloads: Workloads
  readonly #live: LiveReader
  readonly #underWay = new Map<string, Promise<Workload | undefined>>()
  readonly #waiting: (() => void)[] = []
  #reads = 0

  constructor(workloads: Workloads, live: LiveReader) {
    this.#workloads = workloads
    this.#live = live
  }

  /** undefined: it is gone. Throws what the live read throws, or a TimeoutError. */
  async at(key: WorkloadKey, resourceVersion: string): Promise<Workload | undefined> {
    const copy = this.#workloads.get(key)
    if (copy?.resourceVersion === resourceVersion) return copy
    const shared = await this.#shared(key)
    // A read that began before the asked version was written may be older than it.
    if (!shared || Number(shared.resourceVersion) >= Number(resourceVersion)) return shared
    return this.#shared(key)
  }

  async #shared(key: WorkloadKey): Promise<Workload | undefined> {
    const name = keyOf(key)
    const known = this.#underWay.get(name)
    if (known) return known
    const reading = this.#read(key)
    this.#underWay.set(name, reading)
    try {
      return await reading
    } finally {
      this.#underWay.delete(name)
    }
  }

  async #read(key: WorkloadKey): Promise<Workload | undefined> {
    const signal = AbortSignal.timeout(LONGEST_READ)
    if (this.#reads >= MOST_READS) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new DOMException('too many wait for a read', 'TimeoutError')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#reads += 1
    try {
      signal.throwIfAborted()
      return await this.#live.read(key, signal)
    } finally {
      this.#reads -= 1
      this.#waiting.shift()?.()
    }
  }
}
