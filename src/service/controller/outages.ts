import type { Kind } from '../../domain/workload/workload.ts'
import type { WatchedWorkloads } from '../../kubernetes/ports.ts'

/**
 * The kinds whose watch is broken, and the keys that wait for it. No write is tried for such a kind: its copies may be
 * old, and mostly the API server is away.
 */
export class Outages {
  readonly #workloads: Pick<WatchedWorkloads, 'isConnected'>
  readonly #waiting = new Map<Kind, Set<string>>()
  readonly #broken = new Map<Kind, { readonly controller: AbortController; readonly signal: AbortSignal }>()
  #ending: AbortSignal = AbortSignal.abort()

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

  /** `ending`: until it is aborted. */
  open(ending: AbortSignal): void {
    this.#ending = ending
    this.#broken.clear()
  }

  /** Aborted when the watch of this kind breaks, or at the end. One for all writes: to combine signals is dear. */
  signal(kind: Kind): AbortSignal {
    const { controller, signal } = this.#broken.get(kind) ?? this.#listen(kind)
    if (!this.#workloads.isConnected(kind)) controller.abort()
    return signal
  }

  #listen(kind: Kind) {
    const controller = new AbortController()
    const signal = AbortSignal.any([this.#ending, controller.signal])
    this.#broken.set(kind, { controller, signal })
    return { controller, signal }
  }

  began(kind: Kind): void {
    this.#broken.get(kind)?.controller.abort()
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
