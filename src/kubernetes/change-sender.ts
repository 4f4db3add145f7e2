import { LRUCache } from 'lru-cache'
import type { Change } from '../domain/workload/change.ts'
import type { PatchOperation } from '../domain/json-patch.ts'
import { changeObject, jsonPatch } from '../domain/workload/patch.ts'
import type { Workload, WorkloadKey } from '../domain/workload/workload.ts'
import type { PatchAnswer, WorkloadObject } from './api-object.ts'
import type { PatchOptions, WriteLimits } from './client.ts'
import type { Delivered } from './delivered.ts'
import { ClusterRefusal } from './failures.ts'

/** Calls that write a workload; `KubernetesClient` has them. */
export interface WriteCalls {
  patch(key: WorkloadKey, operations: readonly PatchOperation[], options?: PatchOptions): Promise<PatchAnswer>
  replace(key: WorkloadKey, object: WorkloadObject, limits: WriteLimits): Promise<PatchAnswer>
}

/** Whoever may not, or cannot, replace; a proxy that knows no PUT says 405 or 501. Nothing was carried out. */
const NEVER_REPLACES: ReadonlySet<number> = new Set([403, 405, 501])

/** Sends a change as a patch, or with the whole object, which costs the API server less (decision 0025). */
export class ChangeSender {
  readonly #calls: WriteCalls
  readonly #delivered: Pick<Delivered, 'of'> | undefined
  /** Kinds in namespaces where we may not replace: asked again after a while. */
  readonly #patched = new LRUCache<string, true>({ max: 1000, ttl: 600_000 })

  /** `delivered`: the whole objects of workloads at rest; undefined: each write is a patch. */
  constructor(calls: WriteCalls, delivered: Pick<Delivered, 'of'> | undefined) {
    this.#calls = calls
    this.#delivered = delivered
  }

  /**
   * With the whole object where that is kept. The patch follows where the cluster does not take it: others have written, or we
   * may not replace.
   */
  async whole(workload: Workload, change: Change, limits: WriteLimits): Promise<PatchAnswer> {
    const whole = this.#wholeOf(workload, change)
    if (!whole) return this.patch(workload, change, limits)
    try {
      return await this.#calls.replace(workload, whole, limits)
    } catch (error) {
      if (!(error instanceof ClusterRefusal) || error.noAnswer) throw error
      if (NEVER_REPLACES.has(error.status)) this.#patched.set(placeOf(workload), true)
      else if (error.status >= 429) throw error
      return this.patch(workload, change, limits)
    }
  }

  patch(workload: Workload, change: Change, options: PatchOptions): Promise<PatchAnswer> {
    return this.#calls.patch(workload, jsonPatch(workload, change), options)
  }

  /** The whole object with the change; undefined: it takes a patch. */
  #wholeOf(workload: Workload, change: Change): WorkloadObject | undefined {
    if (this.#patched.has(placeOf(workload))) return undefined
    const object = this.#delivered?.of(workload)
    return object && changeObject(object, workload, change) ? object : undefined
  }
}

function placeOf({ kind, namespace }: WorkloadKey): string {
  return `${kind} ${namespace}`
}
