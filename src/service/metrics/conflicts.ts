import type { AutoscalerConflict } from '../../domain/deciding/scaling.ts'
import type { Kind } from '../../domain/workload/workload.ts'

interface Conflict {
  readonly namespace: string
  readonly kind: Kind
  readonly reason: AutoscalerConflict
}

/** How many workloads an autoscaler keeps from their schedule, where there are any. */
export class Conflicts {
  readonly #counts = new Map<string, Conflict & { readonly count: number }>()

  add(conflict: Conflict, count: 1 | -1): void {
    const { namespace, kind, reason } = conflict
    const key = `${namespace}/${kind}/${reason}`
    const sum = (this.#counts.get(key)?.count ?? 0) + count
    if (sum === 0) this.#counts.delete(key)
    else this.#counts.set(key, { ...conflict, count: sum })
  }

  [Symbol.iterator](): Iterator<Conflict & { readonly count: number }> {
    return this.#counts.values()
  }
}
