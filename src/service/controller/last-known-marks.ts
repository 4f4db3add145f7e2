import { isInOrder, knownAfter, type LastKnown } from '../../domain/workload/last-known.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { isUnmarkedSleep } from '../../domain/workload/reading.ts'
import { isOlder, type Workload } from '../../domain/workload/workload.ts'

/** By uid: the newest copy of each workload whose marks (annotations, label, a DaemonSet's key) were in order. */
export class LastKnownMarks {
  readonly #known = new Map<string, LastKnown>()
  readonly #rules: Rules

  constructor(rules: Rules) {
    this.#rules = rules
  }

  of({ uid }: Workload): LastKnown | undefined {
    return this.#known.get(uid)
  }

  /** Whether no mark of the copy needs restoring. */
  isInOrder(workload: Workload): boolean {
    return isInOrder(workload, this.of(workload), this.#rules)
  }

  /**
   * Remembers the informer's newest copy; true: its marks are in order, and it is not older than the one before.
   * `former`: the copy before, which alone knows the count where our marks were dropped from the first sleep.
   */
  note(workload: Workload, former?: Workload): boolean {
    const isDropped = former && isUnmarkedSleep(workload, former.replicas)
    const first = isDropped ? { counter: 0, workload: former } : undefined
    const before = this.of(workload) ?? first
    const back = before !== undefined && isOlder(workload, before.workload)
    const inOrder = isInOrder(workload, before, this.#rules)
    const after = knownAfter(workload, before, this.#rules)
    if (after) this.#known.set(workload.uid, after)
    else this.#known.delete(workload.uid)
    return inOrder && !back && after !== undefined
  }

  forget({ uid }: Workload): void {
    this.#known.delete(uid)
  }

  clear(): void {
    this.#known.clear()
  }
}
