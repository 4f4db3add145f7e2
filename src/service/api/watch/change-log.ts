import { keyOf, type WorkloadKey } from '../../../domain/workload/workload.ts'

/** How many changes are kept at least; a reader that is further behind has to list again. */
const KEPT = 50_000

/** A workload in the log: the same object for as long as it exists, so that each stream remembers it by a pointer. */
export interface Logged {
  readonly key: WorkloadKey
  /** The position of its latest change. */
  latest: number
}

/** Which workloads changed, in order, for all streams of lists together. It keeps names and no copies. */
export class ChangeLog {
  readonly #kept: number
  readonly #exists: (key: WorkloadKey) => boolean
  readonly #workloads = new Map<string, Logged>()
  #log: Logged[] = []
  #start = 0

  constructor(exists: (key: WorkloadKey) => boolean, kept = KEPT) {
    this.#exists = exists
    this.#kept = kept
  }

  /** The position behind the latest change. */
  get end(): number {
    return this.#start + this.#log.length
  }

  /** How many workloads are remembered. */
  get size(): number {
    return this.#workloads.size
  }

  /** Whether all changes since this position are known. */
  keeps(position: number): boolean {
    return position >= this.#start
  }

  add(key: WorkloadKey): void {
    const workload = this.of(key)
    workload.latest = this.end
    this.#log.push(workload)
    if (this.#log.length >= 2 * this.#kept) this.#forget(this.#log.length - this.#kept)
  }

  of({ kind, namespace, name }: WorkloadKey): Logged {
    const key = { kind, namespace, name }
    const text = keyOf(key)
    const known = this.#workloads.get(text)
    if (known) return known
    const workload = { key, latest: -1 }
    this.#workloads.set(text, workload)
    return workload
  }

  /** The first change at this position or behind it that none of the same workload follows; undefined: there is none. */
  next(position: number): Logged | undefined {
    for (let at = position; at < this.end; at += 1) {
      const workload = this.#log[at - this.#start]
      if (workload?.latest === at) return workload
    }
    return undefined
  }

  /** Deleted workloads are forgotten once no reader can have missed the deletion. */
  #forget(count: number): void {
    const forgotten = this.#log.slice(0, count)
    this.#log = this.#log.slice(count)
    this.#start += count
    for (const { key, latest } of forgotten)
      if (latest < this.#start && !this.#exists(key)) this.#workloads.delete(keyOf(key))
  }
}
