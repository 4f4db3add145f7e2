import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { Evaluations } from '../../../src/service/evaluating/evaluations.ts'
import type { TeamOf } from '../../../src/service/metrics/by-team.ts'
import { WorkloadTracker } from '../../../src/service/metrics/workload-tracker.ts'
import { NOW } from './workload.ts'

/** A time that passes at once. */
export class PassingTime {
  now: number
  elapsed = 0
  readonly #alarms = new Set<{ readonly callback: () => void; readonly at: number }>()

  constructor(now = NOW) {
    this.now = now
  }

  readonly clock = () => this.now
  readonly monotonic = () => this.elapsed
  readonly later = (callback: () => void, milliseconds: number) => {
    const alarm = { callback, at: this.elapsed + milliseconds }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  pass(milliseconds: number): void {
    this.now += milliseconds
    this.elapsed += milliseconds
    for (let due = this.#due(); due.length > 0; due = this.#due())
      for (const alarm of due) if (this.#alarms.delete(alarm)) alarm.callback()
  }

  #due() {
    return [...this.#alarms].filter(({ at }) => at <= this.elapsed)
  }
}

/** A tracker that gets its workloads' changes as from the informer, including changes by time. */
export class FollowedTracker extends WorkloadTracker {
  readonly time: PassingTime
  readonly #copies: Map<string, Workload>
  readonly #evaluations: Evaluations

  constructor(
    rules: Rules,
    time = new PassingTime(),
    excludeNamespaces: readonly string[] = [],
    teamOf?: TeamOf,
  ) {
    const copies = new Map<string, Workload>()
    const find = (key: WorkloadKey) => copies.get(keyOf(key))
    const tellAgain = (keys: Iterable<WorkloadKey>) => {
      for (const key of [...keys]) this.changed(find(key), find(key))
    }
    const { clock, monotonic, later } = time
    const workloads = { get: find, list: () => copies.values() }
    const evaluations = new Evaluations({ workloads, rules, clock, later, due: tellAgain })
    super({ evaluations, rules, clock, monotonic, excludeNamespaces, teamOf })
    this.time = time
    this.#copies = copies
    this.#evaluations = evaluations
  }

  override changed(before: Workload | undefined, after: Workload | undefined): void {
    if (after) this.#copies.set(keyOf(after), after)
    else if (before) this.#copies.delete(keyOf(before))
    this.#evaluations.changed(before, after)
    super.changed(before, after)
  }
}
