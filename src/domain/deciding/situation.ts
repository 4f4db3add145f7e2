import type { Instant } from '../../process/clock.ts'
import { kedaOf, type Keda } from '../autoscaling/keda.ts'
import { withWindowUntil } from '../schedule/awake-until.ts'
import type { Edge, Schedule, Sleep } from '../schedule/schedule.ts'
import { countsOf, type Counts } from '../workload/counts.ts'
import type { Reading } from '../workload/reading.ts'
import type { Backoff, Intent, Override, State } from '../workload/state.ts'
import { isRunning, type Workload } from '../workload/workload.ts'
import { backoffInEffect } from './backoff.ts'
import { decisionTime, isCredible } from './decision-time.ts'
import { completed } from './history.ts'
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
  #hours: ScheduleInForce | undefined
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

  /** Whether its spec asks for pods. */
  get isRunning(): boolean {
    return isRunning(this.workload)
  }

  get counts(): Counts {
    return (this.#counts ??= countsOf(this.reading))
  }

  get keda(): Keda {
    return (this.#keda ??= kedaOf(this.workload, this.rules))
  }

  /** Its schedule's meaning now; undefined: it has no valid one. */
  get hours(): ScheduleInForce | undefined {
    return (this.#hours ??= scheduleInForce(this.reading, this.now))
  }

  /** The schedule's desired state now; undefined: it has no valid one. */
  get scheduled(): Sleep | undefined {
    const state = this.hours?.state
    return state === 'own' ? presentState(this.reading) : state
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

/** Milliseconds that the search for an edge of a schedule with calendars reaches at least. */
const HORIZON = 366 * 24 * 60 * 60_000

/** The edges of a schedule that end requests. */
export interface Ends {
  /** The latest; undefined: there is none. */
  readonly latestEdge: Edge | undefined
  /** The next; undefined: there is none, with calendars none within a year. */
  readonly nextEdge: Edge | undefined
  /** When to look again: at that edge, or when the search for it can reach further. */
  readonly next: Instant | undefined
}

/** A schedule's meaning for a workload: with the window of awake-until, and without wakes if it only puts to sleep. */
export interface ScheduleInForce extends Ends {
  readonly schedule: Schedule
  /** `own`: inside a window of a schedule that only puts to sleep, so it stays as it is. */
  readonly state: Sleep | 'own'
  /** Whether its edges wake: with auto-wake, or until awake-until. */
  readonly wakes: boolean
  /** Whether awake-until alone keeps it awake. */
  readonly prolonged: boolean
  /**
   * The edges that end what a person asked for: without awake-until, which would extend a night's snooze to a week's,
   * and whose end would shorten a wake.
   */
  readonly requestEnds: () => Ends
}

/** undefined: it has no schedule that counts. */
function scheduleInForce(reading: Reading, now: Instant): ScheduleInForce | undefined {
  const { schedule: weekly, autoWake, awakeUntil } = reading
  if (!weekly) return undefined
  const schedule = awakeUntil === undefined ? weekly : withWindowUntil(weekly, awakeUntil)
  const prolongs = awakeUntil !== undefined && awakeUntil > now
  const wakes = autoWake || prolongs
  const scheduled = schedule.stateAt(now)
  return {
    schedule,
    state: scheduled === 'awake' && !wakes ? 'own' : scheduled,
    wakes,
    prolonged: prolongs && weekly.stateAt(now) === 'asleep',
    ...endsOf(schedule, wakes, now),
    requestEnds: () => endsOf(weekly, autoWake, now),
  }
}

function endsOf(schedule: Schedule, wakes: boolean, now: Instant): Ends {
  const nextEdge = wakes ? schedule.nextEdge(now) : nextToAsleep(schedule, now)
  const horizon = schedule.calendar === '' ? undefined : now + HORIZON
  return {
    latestEdge: wakes ? schedule.latestEdge(now) : latestToAsleep(schedule, now),
    nextEdge,
    next: nextEdge?.at ?? horizon,
  }
}

/** Whether it counts as asleep or awake. */
export function presentState({ state }: Reading): Sleep {
  return state.asleep ? 'asleep' : 'awake'
}

function latestToAsleep(schedule: Schedule, now: Instant): Edge | undefined {
  const edge = schedule.latestEdge(now)
  return edge?.to === 'awake' ? schedule.latestEdge(edge.at - 1) : edge
}

function nextToAsleep(schedule: Schedule, now: Instant): Edge | undefined {
  const edge = schedule.nextEdge(now)
  return edge?.to === 'awake' ? schedule.nextEdge(edge.at) : edge
}
