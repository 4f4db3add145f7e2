import type { Clock, Instant } from '../clock.ts'
import { keptCount, readWorkload, type Reading } from '../domain/reading.ts'
import { workloadState, type WorkloadState } from '../domain/record.ts'
import type { Rules } from '../domain/rules.ts'
import { ASLEEP_LABEL, isRunning, type Kind, type Workload } from '../domain/workload.ts'
import { Savings, shareOf, type Saved, type Share } from './savings.ts'
import { Stopwatch } from './stopwatch.ts'

/** How long the savings of a namespace without workloads are still told, so that a scrape sees the last of them. */
const FORGET_AFTER = 3600

interface Tracked {
  readonly state: WorkloadState
  readonly share?: Share
  /** When the state changes though nobody touches the workload. */
  readonly changesAt?: Instant
  readonly workload?: Workload
}

interface Namespace {
  readonly kinds: Map<
    Kind,
    { readonly workloads: Map<string, Tracked>; readonly counts: Map<WorkloadState, number> }
  >
  readonly savings: Savings
  /** In the stopwatch's seconds; undefined: it has workloads. */
  emptySince: number | undefined
}

/**
 * Follows the managed workloads by their changes: how many are in which state, and what the sleepers save.
 * A change costs the same whatever the size of the cluster; nothing is kept of workloads that are not managed.
 */
export class WorkloadTracker {
  readonly #rules: Rules
  readonly #clock: Clock
  readonly #stopwatch = new Stopwatch()
  readonly #namespaces = new Map<string, Namespace>()
  readonly #timed = new Map<Workload, Instant>()
  #leading = false

  constructor({ rules, clock }: { rules: Rules; clock: Clock }) {
    this.#rules = rules
    this.#clock = clock
  }

  /** Savings count only while this replica leads: another tells them the rest of the time. */
  lead(leading: boolean): void {
    this.#leading = leading
    if (leading) return this.#stopwatch.start(this.#clock())
    this.#stopwatch.stop(this.#clock())
    for (const [name, { emptySince }] of this.#namespaces) {
      if (emptySince !== undefined) this.#namespaces.delete(name)
    }
  }

  /** To be called for every change that the informer sees; undefined: not there (yet, any more). */
  changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    if (!workload || (before && after && looksTheSame(before, after))) return
    this.#track(workload, after && this.#read(after))
  }

  /** How many workloads of which kind are in which state; a state once seen of a kind is told with 0. */
  *counts(): Iterable<{ namespace: string; kind: Kind; state: WorkloadState; count: number }> {
    this.#catchUp()
    for (const [namespace, { kinds }] of this.#namespaces) {
      for (const [kind, { counts }] of kinds) {
        for (const [state, count] of counts) yield { namespace, kind, state, count }
      }
    }
  }

  *savings(): Iterable<Saved & { namespace: string }> {
    const seconds = this.#seconds()
    for (const [namespace, { savings, emptySince }] of this.#namespaces) {
      if (emptySince !== undefined && seconds - emptySince > FORGET_AFTER) this.#namespaces.delete(namespace)
      else yield { namespace, ...savings.total(seconds) }
    }
  }

  /** Every managed workload. */
  *workloads(): Iterable<{ namespace: string; kind: Kind; name: string; asleep: boolean }> {
    for (const [namespace, { kinds }] of this.#namespaces) {
      for (const [kind, { workloads }] of kinds) {
        for (const [name, { share }] of workloads)
          yield { namespace, kind, name, asleep: share !== undefined }
      }
    }
  }

  #catchUp(): void {
    const now = this.#clock()
    for (const [workload, changesAt] of this.#timed) {
      if (changesAt <= now) this.#track(workload, this.#read(workload))
    }
  }

  #track({ namespace: space, kind, name }: Workload, tracked: Tracked | undefined): void {
    const seconds = this.#seconds()
    const known = this.#namespaces.get(space)
    if (!known && !tracked) return
    const namespace = known ?? { kinds: new Map(), savings: new Savings(seconds), emptySince: undefined }
    if (!known) this.#namespaces.set(space, namespace)
    const { workloads, counts } = namespace.kinds.get(kind) ?? { workloads: new Map(), counts: new Map() }
    namespace.kinds.set(kind, { workloads, counts })
    const previous = workloads.get(name)
    if (previous) counts.set(previous.state, (counts.get(previous.state) ?? 1) - 1)
    if (previous?.workload) this.#timed.delete(previous.workload)
    if (tracked) {
      workloads.set(name, tracked)
      counts.set(tracked.state, (counts.get(tracked.state) ?? 0) + 1)
      if (tracked.workload && tracked.changesAt) this.#timed.set(tracked.workload, tracked.changesAt)
    } else {
      workloads.delete(name)
      if (workloads.size === 0) namespace.kinds.delete(kind)
    }
    namespace.emptySince = namespace.kinds.size > 0 ? undefined : (namespace.emptySince ?? seconds)
    namespace.savings.replace(previous?.share, tracked?.share, seconds)
    if (namespace.emptySince !== undefined && !this.#leading) this.#namespaces.delete(space)
  }

  #read(workload: Workload): Tracked | undefined {
    const now = this.#clock()
    if (workload.owner && workload.kind === 'replicasets') return undefined
    const state = workloadState(workload, now, this.#rules)
    if (state === 'unmanaged') return undefined
    if (state === 'invalid') return { state }
    const reading = readWorkload(workload, this.#rules)
    const asleep = reading.state.asleep && !isRunning(workload)
    const changesAt = nextChange(reading, now)
    return {
      state,
      ...(asleep && { share: shareOf(keptCount(reading), workload.requests) }),
      ...(changesAt !== undefined && { changesAt, workload }),
    }
  }

  #seconds(): number {
    return this.#stopwatch.seconds(this.#clock())
  }
}

function nextChange({ state: { override, backoff } }: Reading, now: Instant): Instant | undefined {
  const ends = [override?.until, backoff?.until].filter((end) => typeof end === 'number' && end > now)
  return ends.length > 0 ? Math.min(...ends.map(Number)) : undefined
}

/** Most changes are a status's: they alter neither state nor share. */
function looksTheSame(a: Workload, b: Workload): boolean {
  return (
    a.annotations.state === b.annotations.state &&
    a.annotations.enabled === b.annotations.enabled &&
    a.annotations.schedule === b.annotations.schedule &&
    a.annotations.timezone === b.annotations.timezone &&
    a.labels?.[ASLEEP_LABEL] === b.labels?.[ASLEEP_LABEL] &&
    a.snoozeKey === b.snoozeKey &&
    a.replicas === b.replicas &&
    a.owner?.name === b.owner?.name &&
    a.requests.cpu === b.requests.cpu &&
    a.requests.memory === b.requests.memory
  )
}
