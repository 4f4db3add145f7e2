import { quietLater, systemMonotonic, type Later, type Monotonic } from '../../process/clock.ts'
import { sleepingOf } from '../../domain/sleeping/forms.ts'
import { HELD_LABEL, type Workload } from '../../domain/workload/workload.ts'
import { Timers } from '../../process/timers.ts'
import type { WorkloadInformer } from '../workload-informer.ts'
import { joined, scaledName, scopeOf, type HeldScope } from './held-scope.ts'

/** Milliseconds that a workload stays listed after its last hold, so that a new pin soon after needs no write. */
const STAYS = 5 * 60_000

/**
 * Scalable workloads that a pin or override holds, or held in the last five minutes: their scaling needs our answer.
 * Every replica keeps this list, so that a new leader has it.
 */
export class HeldWorkloads {
  readonly #names = new Set<string>()
  readonly #leaving: Timers
  readonly #monotonic: Monotonic
  readonly #listeners = new Set<() => void>()
  #isWhole = false

  constructor(
    workloads: Pick<WorkloadInformer, 'onChange' | 'complete'>,
    monotonic: Monotonic = systemMonotonic,
    later: Later = quietLater,
  ) {
    this.#monotonic = monotonic
    this.#leaving = new Timers((key) => this.#leave(key), monotonic, later)
    workloads.onChange((before, after) => this.#changed(before, after))
    // A former leader's entries expire as late as they would have there.
    const isWhole = () => this.#leaving.set(WHOLE, monotonic() + STAYS)
    workloads.complete().then(isWhole, () => {})
  }

  /** The scope to write. Until this process has watched long enough, it keeps everything that was `written`. */
  scope(written: HeldScope): HeldScope {
    const scope = scopeOf(this.#names)
    return this.#isWhole ? scope : joined(scope, written)
  }

  /** Calls the listener when the scope may have changed; returns the function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    if (!workload || !sleepingOf(workload).hasScale) return
    const name = scaledName(workload)
    if (after?.labels?.[HELD_LABEL] !== undefined) {
      this.#leaving.delete(name)
      if (this.#names.has(name)) return
      this.#names.add(name)
      this.#notify()
    } else if (before?.labels?.[HELD_LABEL] !== undefined) {
      this.#leaving.set(name, this.#monotonic() + STAYS)
    }
  }

  #leave(key: string): void {
    if (key === WHOLE) this.#isWhole = true
    else this.#names.delete(key)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The key that keeps the former leader's whole list; no workload has an empty key. */
const WHOLE = ''
