import type { Instant } from '../../process/clock.ts'
import { kedaOf, type Keda } from '../autoscaling/keda.ts'
import type { Sleep } from '../schedule/schedule.ts'
import { countsOf, type Counts } from '../workload/counts.ts'
import { floorOf, isAtRest, type Reading } from '../workload/reading.ts'
import {
  presentState,
  restOf,
  type Backoff,
  type Intent,
  type Override,
  type State,
} from '../workload/state.ts'
import { currentReplicas, looksAsleep, wantsPods, type Workload } from '../workload/workload.ts'
import { backoffInEffect } from './backoff.ts'
import { decisionTime, isCredible } from './decision-time.ts'
import { completed } from './history.ts'
import { hoursOf, type Hours } from './hours.ts'
import type { Rules } from './rules.ts'
import { scalingOf, type Scaling } from './scaling.ts'

/**
 * A workload at one instant with everything that a plan needs, computed once. Expensive parts are computed on demand.
 * Never changed.
 */
export class Situation {
  readonly reading: Reading
  readonly now: Instant
  readonly rules: Rules
  #counts: Counts | undefined
  #keda: Keda | undefined
  #hours: Hours | undefined
  #scaling: Scaling | undefined

  constructor(reading: Reading, now: Instant, rules: Rules) {
    this.reading = reading
    this.now = now
    this.rules = rules
  }

  get workload(): Workload {
    return this.reading.workload
  }

  get state(): State {
    return this.reading.state
  }

  get wantsPods(): boolean {
    return wantsPods(this.workload)
  }

  get isAtRest(): boolean {
    return isAtRest(this)
  }

  /** Whether it is as a sleep leaves it: one that the state tells of, with its count, else one with none. */
  get looksAsleep(): boolean {
    return looksAsleep(this.workload, restOf(this.state))
  }

  /** The count that a sleep which keeps `replicas` leaves it: never more than it has. */
  countAsleep(replicas: number): number {
    return Math.min(currentReplicas(this.workload), floorOf(this.reading), replicas)
  }

  get counts(): Counts {
    return (this.#counts ??= countsOf(this.reading))
  }

  get keda(): Keda {
    return (this.#keda ??= kedaOf(this.workload, this.rules))
  }

  /** Its schedule's meaning now; undefined: it has no valid one. */
  get hours(): Hours | undefined {
    return (this.#hours ??= hoursOf(this.reading, this.now))
  }

  /** The schedule's desired state now; undefined: it has no valid one. */
  get scheduled(): Sleep | undefined {
    const state = this.hours?.state
    return state === 'own' ? presentState(this.state) : state
  }

  /** The author of its present count. */
  get scaling(): Scaling {
    return (this.#scaling ??= scalingOf(this.workload, this.keda))
  }

  /** The intent, unless it is dated in the future: then some clock was wrong. */
  get intent(): Intent | undefined {
    const { intent } = this.state
    return intent && isCredible(intent.at, this.now) ? intent : undefined
  }

  get override(): Override | undefined {
    return overrideInEffect(this.reading, this.now)
  }

  get backoff(): Backoff | undefined {
    return backoffInEffect(this.state, this.now)
  }

  /** Whether a pin or an override in effect holds it. */
  get isHeld(): boolean {
    return isHeld(this.reading, this.now)
  }

  /** The same workload at another time, if nothing happens to it. */
  at(instant: Instant): Situation {
    return new Situation(this.reading, instant, this.rules)
  }

  /** The same instant with this reading of the workload. */
  with(reading: Reading): Situation {
    return new Situation(reading, this.now, this.rules)
  }

  withState(state: State): Situation {
    return this.with({ ...this.reading, state })
  }
}

/** The situation of a workload as it is read: by the time of a decision, and with an operation completed that has ended. */
export function situationOf(read: Reading, clock: Instant, rules: Rules): Situation {
  const now = decisionTime(read.state, clock)
  return new Situation(completed(read, now, rules.policy), now, rules)
}

/** The override, unless it has ended. */
export function overrideInEffect({ state: { override } }: Reading, now: Instant): Override | undefined {
  return override && (override.until === null || override.until > now) ? override : undefined
}

/**
 * Whether a pin or an override in effect holds it. The hold outlives an inherited `enabled`, so that nobody can scale a
 * workload by changing a label that takes it out of a policy; its own `"false"` ends both.
 */
export function isHeld(reading: Reading, now: Instant): boolean {
  const { enabled, effective, state } = reading
  if (enabled === false && effective.sources.enabled === 'workload') return false
  return state.pin !== undefined || overrideInEffect(reading, now) !== undefined
}
