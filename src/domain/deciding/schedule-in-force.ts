import type { Instant } from '../../service/process/clock.ts'
import type { Reading } from '../workload/reading.ts'
import { withWindowUntil } from '../schedule/awake-until.ts'
import type { Edge, Schedule } from '../schedule/schedule.ts'
import type { Sleep } from '../schedule/schedule.ts'

/** Milliseconds that the search for an edge of a schedule with calendars reaches at least. */
const HORIZON = 366 * 24 * 60 * 60_000

/** The edges of a schedule that end what people asked for. */
export interface Ends {
  /** The latest; undefined: there is none. */
  readonly latestEdge: Edge | undefined
  /** The next; undefined: there is none, with calendars none within a year. */
  readonly nextEdge: Edge | undefined
  /** When to look again: at that edge, or when the search for it can reach further. */
  readonly next: Instant | undefined
}

/** What a schedule means for a workload: with the window that awake-until adds, and without waking if it only puts to sleep. */
export interface ScheduleInForce extends Ends {
  readonly schedule: Schedule
  /** `own`: inside a window of a schedule that only puts to sleep, so it stays as it is. */
  readonly state: Sleep | 'own'
  /** Whether its edges wake: with auto-wake, or until awake-until. */
  readonly wakes: boolean
  /** Whether awake-until alone keeps it awake. */
  readonly prolonged: boolean
  /** What ends a snooze: the edges without awake-until, which would turn a night's snooze into a week's. */
  readonly snoozeEnds: Ends
}

/** undefined: it has no schedule that counts. */
export function scheduleInForce(reading: Reading, now: Instant): ScheduleInForce | undefined {
  const { schedule: weekly, autoWake } = reading
  if (!weekly) return undefined
  const awakeUntil = endOf(reading, now)
  const schedule = awakeUntil === undefined ? weekly : withWindowUntil(weekly, awakeUntil)
  const prolongs = awakeUntil !== undefined && now < awakeUntil
  const wakes = autoWake || prolongs
  const scheduled = schedule.stateAt(now)
  const ends = endsOf(schedule, wakes, now)
  return {
    schedule,
    state: scheduled === 'awake' && !wakes ? 'own' : scheduled,
    wakes,
    prolonged: prolongs && weekly.stateAt(now) === 'asleep',
    ...ends,
    snoozeEnds: awakeUntil === undefined ? ends : endsOf(weekly, autoWake, now),
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

/** The nearest end that is still to come: a passed one counts as absent. Without one, the latest that has passed. */
function endOf({ awakeUntil }: Reading, now: Instant): Instant | undefined {
  return (
    awakeUntil.find((end) => end > now) ?? (awakeUntil.length === 0 ? undefined : Math.max(...awakeUntil))
  )
}

/** What a schedule wants of a workload now; undefined: it has none. */
export function scheduledState(reading: Reading, now: Instant): Sleep | undefined {
  const state = scheduleInForce(reading, now)?.state
  return state === 'own' ? presentState(reading) : state
}

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
