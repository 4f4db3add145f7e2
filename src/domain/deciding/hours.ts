import type { Instant } from '../../process/clock.ts'
import { ofSource, type Source } from '../policy/settings.ts'
import { withWindowUntil } from '../schedule/awake-until.ts'
import type { Edge, Schedule, Sleep } from '../schedule/schedule.ts'
import { iso, isoOrNull } from '../text.ts'
import type { ReasonValues } from '../workload/explanation.ts'
import type { Reading } from '../workload/reading.ts'
import type { Intent } from '../workload/state.ts'
import { outweighsSchedule } from '../workload/trigger.ts'
import { ANNOTATION } from '../workload/workload.ts'

/** Milliseconds that the search for an edge of a schedule with calendars reaches at least. */
const HORIZON = 366 * 24 * 60 * 60_000

/** The edges of a schedule around an instant. */
export interface Edges {
  /** The latest; undefined: there is none. */
  readonly latestEdge: Edge | undefined
  /** The next; undefined: there is none, with calendars none within a year. */
  readonly nextEdge: Edge | undefined
  /** When to look again: at that edge, or when the search for it can reach further. */
  readonly next: Instant | undefined
}

/** A workload's schedule at one instant: with the window of awake-until, and without wakes if it only puts to sleep. */
export interface Hours extends Edges {
  readonly now: Instant
  readonly schedule: Schedule
  readonly source: Source | null
  /** `own`: inside a window of a schedule that only puts to sleep, so the workload stays as it is. */
  readonly state: Sleep | 'own'
  /** Whether its edges wake: with auto-wake, or until awake-until. */
  readonly wakes: boolean
  readonly awakeUntil: Instant | undefined
  /** Whether awake-until alone keeps it awake. */
  readonly prolonged: boolean
  /** The edges without awake-until, which would extend a night's snooze to a week's, and whose end would shorten a wake. */
  readonly withoutAwakeUntil: () => Edges
}

/** undefined: it has no schedule that counts. */
export function hoursOf(reading: Reading, now: Instant): Hours | undefined {
  const { schedule: weekly, autoWake, awakeUntil, effective } = reading
  if (!weekly) return undefined
  const schedule = awakeUntil === undefined ? weekly : withWindowUntil(weekly, awakeUntil)
  const prolongs = awakeUntil !== undefined && awakeUntil > now
  const wakes = autoWake || prolongs
  const scheduled = schedule.stateAt(now)
  return {
    now,
    schedule,
    source: effective.sources.schedule,
    state: scheduled === 'awake' && !wakes ? 'own' : scheduled,
    wakes,
    awakeUntil,
    prolonged: prolongs && weekly.stateAt(now) === 'asleep',
    ...edgesOf(schedule, wakes, now),
    withoutAwakeUntil: () => edgesOf(weekly, autoWake, now),
  }
}

function edgesOf(schedule: Schedule, wakes: boolean, now: Instant): Edges {
  const nextEdge = wakes ? schedule.nextEdge(now) : nextToAsleep(schedule, now)
  const horizon = schedule.calendar === '' ? undefined : now + HORIZON
  return {
    latestEdge: wakes ? schedule.latestEdge(now) : latestToAsleep(schedule, now),
    nextEdge,
    next: nextEdge?.at ?? horizon,
  }
}

function latestToAsleep(schedule: Schedule, now: Instant): Edge | undefined {
  const edge = schedule.latestEdge(now)
  return edge?.to === 'awake' ? schedule.latestEdge(edge.at - 1) : edge
}

function nextToAsleep(schedule: Schedule, now: Instant): Edge | undefined {
  const edge = schedule.nextEdge(now)
  return edge?.to === 'awake' ? schedule.nextEdge(edge.at) : edge
}

/**
 * The edges that end an intent. The end of awake-until ends only what that alone kept awake: neither a snooze, nor a
 * wake whose hold still runs.
 */
export function edgesThatEnd(intent: Intent | undefined, hours: Hours): Edges {
  if (!intent || !outweighsSchedule(intent)) return hours
  return intent.want === 'asleep' || (intent.hold ?? 0) > hours.now ? hours.withoutAwakeUntil() : hours
}

/** For reasons: `asleep by schedule 8:00-18:00 (UTC) until 2026-03-03T08:00:00Z`. */
export function hoursText(hours: Hours): string {
  const { schedule, state, wakes, prolonged, nextEdge, awakeUntil } = hours
  const until = nextEdge && `until ${iso(nextEdge.at)}`
  if (prolonged) return `awake by ${ANNOTATION.awakeUntil}${until ? ` ${until}` : ''}`
  const text = `${state} by schedule ${hoursName(hours)}`
  if (!wakes) return `${text}, which only puts to sleep`
  if (until)
    return `${text}${nextEdge.at === awakeUntil ? `, then by ${ANNOTATION.awakeUntil}` : ''} ${until}`
  return schedule.calendar === '' ? text : `${text}, for a year at least`
}

/** `8:00-18:00 (Europe/Berlin, calendar de-be: Christmas Day) of namespace shop`. */
export function hoursName({ schedule, source, now }: Hours): string {
  const { text, zone, calendar } = schedule
  const event = schedule.eventAt(now)
  const named = calendar === '' ? '' : `, calendar ${calendar}${event === undefined ? '' : `: ${event}`}`
  return `${text} (${zone}${named})${ofSource(source)}`
}

/** The schedule, its source, the event of a calendar by which its hours are others now, and its next edge. */
export function hoursValues({ schedule, source, nextEdge, now }: Hours): ReasonValues {
  const { text, zone, calendar } = schedule
  const event = schedule.eventAt(now)
  const named = event === undefined ? {} : { event }
  return { schedule: text, timezone: zone, calendar, ...named, source, until: isoOrNull(nextEdge?.at) }
}

/** Whether it may have hours by which nothing can be decided here: they are invalid, or not known. */
export function lacksHours({ scheduleFault, hoursUnknown }: Reading): boolean {
  return (scheduleFault ?? hoursUnknown) !== undefined
}

/** For reasons, behind what is known. */
export function unknownHoursText(why: string): string {
  return `its hours are not known here: ${why}`
}
