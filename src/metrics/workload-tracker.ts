import type { Clock, Instant } from '../clock.ts'
import { readsTheSame } from '../domain/marks.ts'
import { nextTransition } from '../domain/plan.ts'
import { keptCount } from '../domain/counts.ts'
import { readWorkload, type Reading } from '../domain/reading.ts'
import type { Rules } from '../domain/rules.ts'
import { Unreadable } from '../domain/state-codec.ts'
import { OPERATION_TYPES, type OperationType, type Sleep } from '../domain/state.ts'
import { currentReplicas, isRunning, type Kind, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { workloadState, type WorkloadState } from '../domain/workload-state.ts'
import { ComingTransitions, type Coming } from './coming.ts'
import { Savings, shareOf, Shares, type Saved, type Share } from './savings.ts'
import { Stopwatch } from './stopwatch.ts'

/** How long the savings of a namespace without workloads are still told, so that a scrape sees the last of them. */
const FORGET_AFTER = 3600

/** Milliseconds after which what is overdue is read again, and how many at once. */
const DOUBT_AFTER = 60_000
const DOUBTS = 500

interface TrackerOptions {
  readonly rules: Rules
  readonly clock: Clock
  readonly excludeNamespaces?: readonly string[] | undefined
}

interface Tracked {
  readonly state: WorkloadState
  readonly sleeps: boolean
  /** What it would use, or asks for while awake; undefined: it cannot be read. */
  readonly share?: Share
  readonly coming?: Coming
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
  readonly awake: Shares
  /** In the stopwatch's seconds; undefined: it has workloads. */
  emptySince: number | undefined
}

/**
 * Follows the managed workloads by their changes: how many are in which state, and what the sleepers save.
 * A change costs the same whatever the size of the cluster; nothing is kept of workloads that are not managed.
 */
export class WorkloadTracker {
  /** The newest copy of a workload; undefined: not there. To be set before anything is read. */
  find: (key: WorkloadKey) => Workload | undefined = () => undefined
  /** The newest snooze and wake by schedule that any workload's history tells of, from before this start, too. */
  readonly latest: Partial<Record<OperationType, Instant>> = {}
  readonly coming = new ComingTransitions()
  readonly #rules: Rules
  readonly #clock: Clock
  readonly #excluded: ReadonlySet<string>
  readonly #stopwatch = new Stopwatch()
  readonly #namespaces = new Map<string, Namespace>()
  readonly #timed = new Map<Workload, Instant>()
  #leading = false

  constructor({ rules, clock, excludeNamespaces = [] }: TrackerOptions) {
    this.#rules = rules
    this.#clock = clock
    this.#excluded = new Set(excludeNamespaces)
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

  /** What the sleepers would use, and what those awake ask for, of namespaces that have workloads. */
  *shares(): Iterable<Share & { namespace: string; state: Sleep }> {
    for (const [namespace, { savings, awake, emptySince }] of this.#namespaces) {
      if (emptySince !== undefined) continue
      yield { namespace, state: 'asleep', ...savings.asleep }
      yield { namespace, state: 'awake', ...awake.total }
    }
  }

  /** Every managed workload. */
  *workloads(): Iterable<{ namespace: string; kind: Kind; name: string; asleep: boolean }> {
    for (const [namespace, { kinds }] of this.#namespaces) {
      for (const [kind, { workloads }] of kinds) {
        for (const [name, { sleeps }] of workloads) yield { namespace, kind, name, asleep: sleeps }
      }
    }
  }

  /** To be called before anything is told: what time alone has changed. */
  catchUp(): void {
    const now = this.#clock()
    for (const [workload, changesAt] of this.#timed) {
      if (changesAt <= now) this.#track(workload, this.#read(workload))
    }
    for (const workload of this.#doubtful(now)) this.#track(workload, this.#read(workload))
  }

  /**
   * What seems late. Where nobody acted through two edges it is as it should be again, and no change tells
   * of that. Some at a time: in a wave, reading them all over would hold it up.
   */
  #doubtful(now: Instant): Workload[] {
    const late = now - DOUBT_AFTER
    if (OPERATION_TYPES.every((type) => this.coming.overdue(type, late) === 0)) return []
    const found: Workload[] = []
    for (const [namespace, { kinds }] of this.#namespaces) {
      for (const [kind, { workloads }] of kinds) {
        for (const [name, { coming }] of workloads) {
          if (!coming || coming.at > late) continue
          const workload = this.find({ namespace, kind, name })
          if (workload) found.push(workload)
          if (found.length === DOUBTS) return found
        }
      }
    }
    return found
  }

  #track({ namespace: space, kind, name }: Workload, tracked: Tracked | undefined): void {
    const seconds = this.#seconds()
    const known = this.#namespaces.get(space)
    if (!known && !tracked) return
    const namespace = known ?? newNamespace(seconds)
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
    const [slept, ran] = halves(previous)
    const [sleeps, runs] = halves(tracked)
    namespace.savings.replace(slept, sleeps, seconds)
    namespace.awake.replace(ran, runs)
    this.coming.replace(previous?.coming, tracked?.coming)
    if (namespace.emptySince !== undefined && !this.#leading) this.#namespaces.delete(space)
  }

  #read(workload: Workload): Tracked | undefined {
    const now = this.#clock()
    if (this.#excluded.has(workload.namespace)) return undefined
    if (workload.owner && workload.kind === 'replicasets') return undefined
    const reading = readWorkload(workload, this.#rules)
    const state = workloadState(reading, now)
    if (reading instanceof Unreadable) return { state, sleeps: false }
    if (state === 'unmanaged') return undefined
    const sleeps = reading.state.asleep && !isRunning(workload)
    const replicas = sleeps ? keptCount(reading) : currentReplicas(workload)
    for (const { type, trigger, at } of reading.state.history)
      if (trigger === 'schedule') this.latest[type] = Math.max(at, this.latest[type] ?? 0)
    const coming = workload.deleting ? undefined : nextTransition(reading, now, this.#rules)
    const changesAt = nextChange(reading, now)
    return {
      state,
      sleeps,
      share: shareOf(replicas, workload.requests),
      ...(coming && { coming: { type: coming.type, at: coming.at } }),
      ...(changesAt !== undefined && { changesAt, workload }),
    }
  }

  #seconds(): number {
    return this.#stopwatch.seconds(this.#clock())
  }
}

function newNamespace(seconds: number): Namespace {
  return { kinds: new Map(), savings: new Savings(seconds), awake: new Shares(), emptySince: undefined }
}

/** Its share as that of a sleeper, and as that of one awake. */
function halves(tracked: Tracked | undefined): [Share | undefined, Share | undefined] {
  return tracked?.sleeps ? [tracked.share, undefined] : [undefined, tracked?.share]
}

function nextChange({ state: { override, backoff } }: Reading, now: Instant): Instant | undefined {
  const ends = [override?.until, backoff?.until].filter((end) => typeof end === 'number' && end > now)
  return ends.length > 0 ? Math.min(...ends.map(Number)) : undefined
}

/** Most changes are a status's: they alter neither the state nor the share. */
function looksTheSame(a: Workload, b: Workload): boolean {
  return readsTheSame(a, b) && a.requests.cpu === b.requests.cpu && a.requests.memory === b.requests.memory
}
