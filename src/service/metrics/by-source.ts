import type { Source } from '../../domain/policy/settings.ts'
import type { WorkloadState } from '../../domain/records/workload-state.ts'

/** What manages a workload, as metrics name it: `workload`, `namespace` (whichever), `policy/dev`. */
export function managedBy(source: Source | null): string {
  if (source === null) return 'workload'
  return source.startsWith('namespace/') ? 'namespace' : source
}

/** How many managed workloads are in which state, by some name of theirs; what was seen once stays, with 0. */
export class StateCounts {
  readonly #names = new Map<string, Map<WorkloadState, number>>()

  add(name: string, state: WorkloadState, count: number): void {
    const states = this.#names.get(name) ?? new Map<WorkloadState, number>()
    this.#names.set(name, states)
    states.set(state, (states.get(state) ?? 0) + count)
  }

  *[Symbol.iterator](): Iterator<{ name: string; state: WorkloadState; count: number }> {
    for (const [name, states] of this.#names)
      for (const [state, count] of states) yield { name, state, count }
  }
}
