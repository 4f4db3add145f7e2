import { quietLater, systemMonotonic, type Later, type Monotonic } from '../../service/process/clock.ts'
import { factsOf } from '../../domain/kinds.ts'
import { HELD_LABEL, type Workload } from '../../domain/workload/workload.ts'
import { Timers } from '../../service/process/timers.ts'
import { joined, scaledName, scopeOf, type HeldScope } from './held-scope.ts'

/** Milliseconds that a workload stays listed after its last hold: who pins again soon finds it there. */
const STAYS = 5 * 60_000

/** What is needed of the informer. */
export interface WatchedWorkloads {
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
  /** Resolves when every kind was listed. */
  complete(): Promise<void>
}

/**
 * The workloads with a scale that pins and overrides hold, or held in the last five minutes: their scaling waits for an
 * answer of ours. Every replica keeps them, so that a new leader knows.
 */
export class HeldWorkloads {
  readonly #names = new Set<string>()
  readonly #leaving: Timers
  readonly #monotonic: Monotonic
  readonly #listeners = new Set<() => void>()
  #isWhole = false

  constructor(
    workloads: WatchedWorkloads,
    monotonic: Monotonic = systemMonotonic,
    later: Later = quietLater,
  ) {
    this.#monotonic = monotonic
    this.#leaving = new Timers((key) => this.#leave(key), monotonic, later)
    workloads.onChange((before, after) => this.#changed(before, after))
    // What a former leader knew stays as long as it would have by itself.
    const isWhole = () => this.#leaving.set(WHOLE, monotonic() + STAYS)
    workloads.complete().then(isWhole, () => {})
  }

  /** The scope to write: until it is known for long enough what is held, nothing leaves that was `written`. */
  scope(written: HeldScope): HeldScope {
    const scope = scopeOf(this.#names)
    return this.#isWhole ? scope : joined(scope, written)
  }

  /** Calls the listener when the scope may be another; returns how to stop listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    if (!workload || !factsOf(workload.kind).hasScale) return
    const name = scaledName(workload)
    if (after?.labels?.[HELD_LABEL] !== undefined) {
      this.#leaving.delete(name)
      if (this.#names.has(name)) return
      this.#names.add(name)
      this.#tell()
    } else if (before?.labels?.[HELD_LABEL] !== undefined) {
      this.#leaving.set(name, this.#monotonic() + STAYS)
    }
  }

  #leave(key: string): void {
    if (key === WHOLE) this.#isWhole = true
    else this.#names.delete(key)
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The key of the former leader's whole list: no workload has an empty one. */
const WHOLE = ''
