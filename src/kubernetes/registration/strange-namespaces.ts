import { quietLater, systemMonotonic, type Later, type Monotonic } from '../../process/clock.ts'
import { hasMarks } from '../../domain/workload/marks.ts'
import { Timers } from '../../process/timers.ts'
import type { NamespaceInformer } from '../namespaces.ts'
import type { WorkloadInformer } from '../workload-informer.ts'

/** Milliseconds without a mark: what is made, enabled and pinned at one go is reviewed from the beginning. */
const WAITS = 60_000
/** Namespaces in the selector, which the API server compares one by one. */
const MOST = 1000

/**
 * Namespaces in which no workload has had a mark of ours for a minute: nobody there is asleep or held, so their scalings
 * need no review. Every replica keeps this list, so that a new leader has it.
 */
export class StrangeNamespaces {
  readonly #excluded: ReadonlySet<string>
  readonly #namespaces = new Set<string>()
  /** Workloads with marks, by namespace; no entry: none. */
  readonly #marked = new Map<string, number>()
  readonly #strange = new Set<string>()
  readonly #waiting: Timers
  readonly #monotonic: Monotonic
  readonly #listeners = new Set<(isUrgent: boolean) => void>()
  #isComplete = false

  /** `excluded`: namespaces whose writes are not reviewed anyway. */
  constructor(
    workloads: Pick<WorkloadInformer, 'onChange' | 'complete'>,
    namespaces: Pick<NamespaceInformer, 'onChange'>,
    excluded: Iterable<string>,
    monotonic: Monotonic = systemMonotonic,
    later: Later = quietLater,
  ) {
    this.#excluded = new Set(excluded)
    this.#monotonic = monotonic
    this.#waiting = new Timers((namespace) => this.#waited(namespace), monotonic, later)
    workloads.onChange((before, after) => {
      const change =
        Number(after !== undefined && hasMarks(after)) - Number(before !== undefined && hasMarks(before))
      const { namespace } = after ?? before ?? {}
      if (change !== 0 && namespace !== undefined) this.#changed(namespace, change)
    })
    namespaces.onChange((before, after) => {
      if (before && !after) this.#deleted(before.name)
      else if (after && !before) this.#created(after.name)
    })
    workloads.complete().then(
      () => (this.#isComplete = true),
      () => {},
    )
  }

  /** At most a thousand, sorted. */
  get names(): readonly string[] {
    return [...this.#strange].slice(0, MOST).toSorted()
  }

  /** Calls the listener when the names change: urgent where one is missing. Returns the function that removes it. */
  onChange(listener: (isUrgent: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #created(namespace: string): void {
    if (this.#excluded.has(namespace)) return
    this.#namespaces.add(namespace)
    if (!this.#marked.has(namespace)) this.#wait(namespace)
  }

  #deleted(namespace: string): void {
    this.#namespaces.delete(namespace)
    this.#forget(namespace)
  }

  #changed(namespace: string, change: number): void {
    const count = (this.#marked.get(namespace) ?? 0) + change
    if (count > 0) this.#marked.set(namespace, count)
    else this.#marked.delete(namespace)
    if (count === 0) this.#wait(namespace)
    else this.#forget(namespace)
  }

  #wait(namespace: string): void {
    if (this.#namespaces.has(namespace)) this.#waiting.set(namespace, this.#monotonic() + WAITS)
  }

  #waited(namespace: string): void {
    // Without all workloads nobody knows which have marks.
    if (!this.#isComplete) return this.#wait(namespace)
    this.#strange.add(namespace)
    this.#notify(false)
  }

  #forget(namespace: string): void {
    this.#waiting.delete(namespace)
    if (this.#strange.delete(namespace)) this.#notify(true)
  }

  #notify(isUrgent: boolean): void {
    for (const listener of this.#listeners) listener(isUrgent)
  }
}
