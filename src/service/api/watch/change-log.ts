import { keyOf, type WorkloadKey } from '../../../domain/workload/workload.ts'

/** How many changes are kept at least; a reader that is further behind has to list again. */
const KEPT = 50_000

export interface LoggedChange {
  readonly key: WorkloadKey
  /** Of the workload: the same number for as long as it exists. */
  readonly index: number
  /** Where the reader goes on. */
  readonly next: number
}

/**
 * Which workloads changed, in order, for all streams of lists together. It keeps names and no copies, and each workload
 * has a number, so that a stream can remember by one bit whether its client has it.
 */
export class ChangeLog {
  readonly #kept: number
  readonly #exists: (key: WorkloadKey) => boolean
  readonly #indices = new Map<string, number>()
  readonly #keys: (WorkloadKey | undefined)[] = []
  /** By the workload's number: the position of its latest change. */
  readonly #latest: number[] = []
  readonly #free: number[] = []
  #log: number[] = []
  #start = 0

  constructor(exists: (key: WorkloadKey) => boolean, kept = KEPT) {
    this.#exists = exists
    this.#kept = kept
  }

  /** The position behind the latest change. */
  get end(): number {
    return this.#start + this.#log.length
  }

  /** Whether all changes since this position are known. */
  keeps(position: number): boolean {
    return position >= this.#start && position <= this.end
  }

  add(key: WorkloadKey): void {
    const index = this.indexOf(key)
    this.#latest[index] = this.end
    this.#log.push(index)
    if (this.#log.length >= 2 * this.#kept) this.#forget(this.#log.length - this.#kept)
  }

  indexOf(key: WorkloadKey): number {
    const name = keyOf(key)
    const known = this.#indices.get(name)
    if (known !== undefined) return known
    const index = this.#free.pop() ?? this.#keys.length
    const { kind, namespace } = key
    this.#keys[index] = { kind, namespace, name: key.name }
    this.#latest[index] = -1
    this.#indices.set(name, index)
    return index
  }

  /** The workload that has this number now; undefined: none. */
  keyAt(index: number): WorkloadKey | undefined {
    return this.#keys[index]
  }

  /** The first change at this position or behind it that none of the same workload follows; undefined: there is none. */
  next(position: number): LoggedChange | undefined {
    for (let at = position; at < this.end; at += 1) {
      const index = this.#log[at - this.#start] ?? -1
      const key = this.#keys[index]
      if (key && this.#latest[index] === at) return { key, index, next: at + 1 }
    }
    return undefined
  }

  /** All workloads that have a number. */
  *known(): Generator<{ key: WorkloadKey; index: number }> {
    for (const [index, key] of this.#keys.entries()) if (key) yield { key, index }
  }

  /** Numbers of deleted workloads are given anew once no reader can have missed the deletion. */
  #forget(count: number): void {
    const start = this.#start + count
    for (const index of new Set(this.#log.slice(0, count))) {
      const key = this.#keys[index]
      if (!key || (this.#latest[index] ?? start) >= start || this.#exists(key)) continue
      this.#indices.delete(keyOf(key))
      this.#keys[index] = undefined
      this.#free.push(index)
    }
    this.#log = this.#log.slice(count)
    this.#start = start
  }
}
