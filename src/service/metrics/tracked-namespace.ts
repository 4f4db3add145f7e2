import type { Kind } from '../../domain/workload/workload.ts'
import type { WorkloadState } from '../../domain/records/workload-state.ts'
import { Usage } from './savings.ts'
import { Tally } from './tally.ts'
import type { Tracked } from './tracked.ts'

interface TrackedKind {
  readonly workloads: Map<string, Tracked>
  /** A state once counted keeps its entry, so that it is exported with 0. */
  readonly counts: Tally<WorkloadState>
}

/** The managed workloads of one namespace and their sums. `seconds` is a time that never goes back. */
export class TrackedNamespace {
  readonly kinds = new Map<Kind, TrackedKind>()
  readonly usage: Usage
  /** Since when it has no workloads; undefined: it has some. */
  emptySince: number | undefined

  constructor(seconds: number) {
    this.usage = new Usage(seconds)
  }

  /** Replaces a workload's part, and returns it; `after` undefined: it is not managed any more. */
  replace(kind: Kind, name: string, after: Tracked | undefined, seconds: number): Tracked | undefined {
    const { workloads, counts } = this.kinds.get(kind) ?? aKind()
    this.kinds.set(kind, { workloads, counts })
    const before = workloads.get(name)
    counts.replace(before?.state, after?.state)
    if (after) workloads.set(name, after)
    else workloads.delete(name)
    if (workloads.size === 0) this.kinds.delete(kind)
    this.emptySince = this.kinds.size > 0 ? undefined : (this.emptySince ?? seconds)
    this.usage.replace(before, after, seconds)
    return before
  }

  *workloads(): Iterable<{ kind: Kind; name: string; tracked: Tracked }> {
    for (const [kind, { workloads }] of this.kinds)
      for (const [name, tracked] of workloads) yield { kind, name, tracked }
  }
}

function aKind(): TrackedKind {
  return { workloads: new Map(), counts: new Tally(undefined, { keepsZeros: true }) }
}
