import type { Source } from '../domain/policy/settings.ts'
import type { WorkloadState } from '../domain/workload-state.ts'

/** What manages a workload, as metrics name it: `workload`, `namespace` (whichever), `policy/dev`. */
export function managedBy(source: Source | null): string {
  if (source === null) return 'workload'
  return source.startsWith('namespace/') ? 'namespace' : source
}

/** How many managed workloads are in which state, by what manages them; what was seen once stays, with 0. */
export class CountsBySource {
  readonly #sources = new Map<string, Map<WorkloadState, number>>()

  replace(before: Managed | undefined, after: Managed | undefined): void {
    if (before) this.#add(before, -1)
    if (after) this.#add(after, 1)
  }

  *[Symbol.iterator](): Iterator<Managed & { count: number }> {
    for (const [source, states] of this.#sources)
      for (const [state, count] of states) yield { source, state, count }
  }

  #add({ source, state }: Managed, count: number): void {
    const states = this.#sources.get(source) ?? new Map<WorkloadState, number>()
    this.#sources.set(source, states)
    states.set(state, (states.get(state) ?? 0) + count)
  }
}

interface Managed {
  readonly source: string
  readonly state: WorkloadState
}
