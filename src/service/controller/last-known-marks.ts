import { knownAfter, withMarksRestored, type LastKnown } from '../../domain/workload/marks.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
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

  /** Whether nothing of a copy's marks has to be restored. */
  isInOrder(workload: Workload): boolean {
    return withMarksRestored(workload, this.of(workload), this.#rules) === workload
  }

  /** Remembers the informer's newest copy; true: its marks are in order, and it is not older than the one before. */
  note(workload: Workload): boolean {
    const before = this.of(workload)
    const back = before !== undefined && isOlder(workload, before.workload)
    const inOrder = this.isInOrder(workload)
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
