import type { Kind } from '../../domain/workload/workload.ts'
import type { WatchedWorkloads } from '../../kubernetes/ports.ts'

/**
 * The kinds whose watch is broken, and the keys that wait for it. No write is tried for such a kind: its copies may be
 * old, and mostly the API server is away.
 */
export class Outages {
  readonly #workloads: Pick<WatchedWorkloads, 'isConnected'>
  readonly #waiting = new Map<Kind, Set<string>>()
  readonly #broken = new Map<Kind, AbortController>()

  constructor(workloads: Pick<WatchedWorkloads, 'isConnected'>) {
    this.#workloads = workloads
  }

  /** Whether a key waits for the watch of its kind; then `ended` returns it. */
  defers(kind: Kind, key: string): boolean {
    if (this.#workloads.isConnected(kind)) return false
    const waiting = this.#waiting.get(kind) ?? new Set()
    this.#waiting.set(kind, waiting.add(key))
    return true
  }

  /** Aborted when the watch of this kind breaks. */
  signal(kind: Kind): AbortSignal {
    const broken = this.#broken.get(kind) ?? new AbortController()
    this.#broken.set(kind, broken)
    if (!this.#workloads.isConnected(kind)) broken.abort()
    return broken.signal
  }

  began(kind: Kind): void {
    this.#broken.get(kind)?.abort()
  }

  /** Returns the keys that waited. */
  ended(kind: Kind): readonly string[] {
    this.#broken.delete(kind)
    const waiting = this.#waiting.get(kind)
    const keys = [...(waiting ?? [])]
    waiting?.clear()
    return keys
  }

  clear(): void {
    for (const keys of this.#waiting.values()) keys.clear()
  }
}
