import { systemMonotonic, type Clock, type Instant, type Monotonic } from '../../process/clock.ts'
import { isCredible } from '../../domain/deciding/decision-time.ts'
import { readsTheSame } from '../../domain/workload/marks.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { AutoscalerConflict } from '../../domain/deciding/scaling.ts'
import type { Schedule, Sleep } from '../../domain/schedule/schedule.ts'
import { isKnown, TRIGGER, TRIGGERS, type OperationType } from '../../domain/workload/trigger.ts'
import { podsFollowed, type Kind, type Workload } from '../../domain/workload/workload.ts'
import type { WorkloadState } from '../../domain/records/workload-state.ts'
import type { Saved } from '../../domain/records/saved.ts'
import type { Evaluations } from '../evaluating/ports.ts'
import { ByTeam, type TeamOf } from './by-team.ts'
import { ComingTransitions } from './coming.ts'
import { Stopwatch, type Share } from './savings.ts'
import { Tally } from './tally.ts'
import { TrackedNamespace } from './tracked-namespace.ts'
import { readTracked, type Tracked } from './tracked.ts'

/**
 * Seconds: how long the savings of a namespace without workloads are still exported, so that a scrape sees their last
 * value.
 */
const FORGET_AFTER = 3600

interface Place {
  readonly namespace: string
  readonly kind: Kind
}

interface Conflict extends Place {
  readonly reason: AutoscalerConflict
}

export interface TrackerOptions {
  readonly evaluations: Evaluations
  readonly rules: Rules
  readonly clock: Clock
  /** Default: the system's. */
  readonly monotonic?: Monotonic
  /** Namespaces whose workloads Dormouse never touches, and so does not count; default: none. */
  readonly excludeNamespaces?: readonly string[]
  /** undefined: no label names teams. */
  readonly teamOf?: TeamOf | undefined
}

/**
 * Counts the managed workloads by state, and what sleep saves, from their changes. A change costs the same whatever the
 * size of the cluster; workloads that are not managed take no memory.
 */
export class WorkloadTracker {
  /** The newest snooze and wake in a wave, by the history of any workload, also from before our start. */
  readonly #latest: Partial<Record<OperationType, Instant>> = {}
  readonly coming = new ComingTransitions()
  readonly bySource = new Tally<{ source: string; state: WorkloadState }>(
    ({ source, state }) => `${source} ${state}`,
    { keepsZeros: true },
  )
  /** The schedules that calendars may change. */
  readonly schedules = new Tally<Schedule>()
  /** The workloads that an autoscaler keeps from their schedule. */
  readonly conflicts = new Tally<Conflict>(({ namespace, kind, reason }) => `${namespace}/${kind}/${reason}`)
  /** The workloads whose wake took too long and whose pods are still missing. */
  readonly late = new Tally<Place>(({ namespace, kind }) => `${namespace}/${kind}`)
  readonly byTeam: ByTeam | undefined
  readonly #evaluations: Evaluations
  readonly #rules: Rules
  readonly #clock: Clock
  readonly #monotonic: Monotonic
  readonly #excluded: ReadonlySet<string>
  readonly #stopwatch = new Stopwatch()
  readonly #namespaces = new Map<string, TrackedNamespace>()
  #leading = false

  constructor({
    evaluations,
    rules,
    clock,
    monotonic = systemMonotonic,
    excludeNamespaces = [],
    teamOf,
  }: TrackerOptions) {
    this.#evaluations = evaluations
    this.#rules = rules
    this.#clock = clock
    this.#monotonic = monotonic
    this.#excluded = new Set(excludeNamespaces)
    this.byTeam = teamOf && new ByTeam(teamOf)
  }

  /** Savings are counted only while this replica leads: at other times another replica counts them. */
  lead(leading: boolean): void {
    this.#leading = leading
    if (leading) return this.#stopwatch.start(this.#monotonic())
    this.#stopwatch.stop(this.#monotonic())
    for (const [name, { emptySince }] of this.#namespaces) {
      if (emptySince !== undefined) this.#namespaces.delete(name)
    }
  }

  /** To be called for every change that the informer sees; `before` undefined: added, `after` undefined: deleted. */
  changed(before: Workload | undefined, after: Workload | undefined): void {
    const workload = after ?? before
    // (copy, copy): only an input of the decision has changed.
    if (!workload || (before && after && before !== after && countsTheSame(before, after))) return
    if (after) this.#read(after)
    else this.#track(workload, undefined)
  }

  /** The newest snooze or wake in a wave, unless a wrong clock has dated it. */
  latest(type: OperationType): Instant | undefined {
    const at = this.#latest[type]
    return at !== undefined && isCredible(at, this.#clock()) ? at : undefined
  }

  /** How many workloads of which kind are in which state; a state once counted for a kind stays, with 0. */
  *counts(): Iterable<{ namespace: string; kind: Kind; state: WorkloadState; count: number }> {
    for (const [namespace, { kinds }] of this.#namespaces) {
      for (const [kind, { counts }] of kinds) {
        for (const [state, count] of counts) yield { namespace, kind, state, count }
      }
    }
  }

  *savings(): Iterable<Saved & { namespace: string }> {
    const seconds = this.#seconds()
    this.#forgetEmpty(seconds)
    for (const [namespace, { usage }] of this.#namespaces) yield { namespace, ...usage.saved(seconds) }
  }

  /** How many namespaces it remembers. */
  get size(): number {
    return this.#namespaces.size
  }

  /** By team; nothing where no label names teams. */
  teamSavings(): Iterable<Saved & { team: string }> {
    return this.byTeam?.savings(this.#seconds()) ?? []
  }

  /** For each namespace with workloads. */
  *shares(): Iterable<Share & { namespace: string; state: Sleep }> {
    for (const [namespace, { usage, emptySince }] of this.#namespaces)
      if (emptySince === undefined) for (const share of usage.shares()) yield { namespace, ...share }
  }

  /** Every managed workload. */
  *workloads(): Iterable<{ namespace: string; kind: Kind; name: string; asleep: boolean }> {
    for (const [namespace, tracked] of this.#namespaces) {
      for (const { kind, name, tracked: each } of tracked.workloads())
        yield { namespace, kind, name, asleep: each.asleep }
    }
  }

  #read(workload: Workload): void {
    const now = this.#clock()
    const excluded = this.#excluded.has(workload.namespace)
    const read = excluded ? undefined : this.#readNow(workload, now)
    if (read === 'overdue') return
    for (const { type, trigger, at } of read?.history ?? [])
      if (isKnown(TRIGGERS, trigger) && TRIGGER[trigger].inWaves && isCredible(at, now))
        this.#latest[type] = Math.max(at, this.latest(type) ?? 0)
    const tracked = read?.tracked
    const team = tracked && this.byTeam?.nameOf(workload)
    this.#track(workload, tracked && team !== undefined ? { ...tracked, team } : tracked)
  }

  /** `overdue`: the due step is not done yet, so the state is unchanged. */
  #readNow(workload: Workload, now: Instant): ReturnType<typeof readTracked> | 'overdue' {
    const { kind, namespace, name } = workload
    const { reading, step } = this.#evaluations.of(workload)
    const coming = this.#namespaces.get(namespace)?.kinds.get(kind)?.workloads.get(name)?.coming
    if (coming && coming.at <= now && step.decision.action === coming.type && step.isDue) return 'overdue'
    return readTracked(workload, reading, now, this.#rules)
  }

  #track(workload: Workload, tracked: Tracked | undefined): void {
    const { namespace: space, kind, name } = workload
    const seconds = this.#seconds()
    const known = this.#namespaces.get(space)
    if (!known && !tracked) return
    const namespace = known ?? new TrackedNamespace(seconds)
    if (!known) this.#namespaces.set(space, namespace)
    const wasEmpty = namespace.emptySince !== undefined
    const previous = namespace.replace(kind, name, tracked, seconds)
    this.coming.replace(previous?.coming, tracked?.coming)
    this.schedules.replace(previous?.schedule, tracked?.schedule)
    this.byTeam?.replace(previous, tracked, seconds)
    if (previous) this.#count(space, kind, previous, -1)
    if (tracked) this.#count(space, kind, tracked, 1)
    if (namespace.emptySince === undefined) return
    if (!this.#leading) this.#namespaces.delete(space)
    // Also where nothing is ever scraped.
    else if (!wasEmpty) this.#forgetEmpty(seconds)
  }

  #forgetEmpty(seconds: number): void {
    for (const [name, { emptySince }] of this.#namespaces)
      if (emptySince !== undefined && seconds - emptySince > FORGET_AFTER) this.#namespaces.delete(name)
  }

  #count(namespace: string, kind: Kind, { source, state, conflict, isLate }: Tracked, count: 1 | -1): void {
    this.bySource.add({ source, state }, count)
    if (isLate) this.late.add({ namespace, kind }, count)
    if (conflict) this.conflicts.add({ namespace, kind, reason: conflict }, count)
  }

  #seconds(): number {
    return this.#stopwatch.seconds(this.#monotonic())
  }
}

/** Most changes are of a status: they alter neither state nor share, nor whether all pods are there. */
function countsTheSame(a: Workload, b: Workload): boolean {
  return (
    readsTheSame(a, b) &&
    podsFollowed(a) === podsFollowed(b) &&
    a.requests.cpu === b.requests.cpu &&
    a.requests.memory === b.requests.memory
  )
}
