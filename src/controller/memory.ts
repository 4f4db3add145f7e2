import { isOlder, knownAfter, withMarksRestored, type LastKnown } from '../domain/marks.ts'
import type { Workload } from '../domain/workload.ts'

/** What is known of each workload's marks, by uid: the newest copy that the informer saw in order. */
export class Memory {
  readonly #known = new Map<string, LastKnown>()

  of({ uid }: Workload): LastKnown | undefined {
    return this.#known.get(uid)
  }

  /** Whether a copy's marks are as they should be. */
  isInOrder(workload: Workload): boolean {
    return withMarksRestored(workload, this.of(workload)) === workload
  }

  /** Takes note of what the informer says now; true: its marks are in order, and as new as what was known. */
  note(workload: Workload): boolean {
    const before = this.of(workload)
    const back = before !== undefined && isOlder(workload, before.workload)
    const inOrder = this.isInOrder(workload)
    const after = knownAfter(workload, before)
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
