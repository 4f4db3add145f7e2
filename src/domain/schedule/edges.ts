import { CronExpressionParser } from 'cron-parser'
import type { CronExpression } from 'cron-parser'
import type { Instant } from '../../process/clock.ts'
import { hoursOn, type Calendar, type Hours } from './calendar.ts'
import { byDay, MINUTES_OF_DAY, WEEK, type Window } from './window.ts'
import type { LocalTime, Zone } from './zone.ts'

const MINUTE = 60_000
const DAY = MINUTES_OF_DAY * MINUTE

/** The edges of a time span, including those at its start, without those at its end. */
export interface Span {
  /** Whether it is awake just before it. */
  readonly awakeBefore: boolean
  /** Ascending; each changes awake to asleep or back. */
  readonly edges: Float64Array
}

/** Awake from `start` to just before `end`. */
interface Interval {
  readonly start: Instant
  readonly end: Instant
}

/** Computes the boundaries of the union of some windows in a zone; on the dates of calendars, of their hours instead. */
export class Edges {
  readonly #windows: readonly Window[]
  readonly #zone: Zone
  readonly #calendars: readonly Calendar[]
  readonly #noons: CronExpression

  constructor(windows: readonly Window[], zone: Zone, calendars: readonly Calendar[] = []) {
    // On a date of a calendar, a window over days stops for that date alone.
    this.#windows = windows.flatMap(byDay)
    this.#zone = zone
    this.#calendars = calendars
    // a calendar may open any day
    const days = new Set(calendars.length > 0 ? WEEK : this.#windows.flatMap(({ days: each }) => each))
    // Dates have no zone. In UTC every day has 24 hours, so there cron-parser's days are exact.
    this.#noons = CronExpressionParser.parse(`0 12 * * ${[...days].join(',')}`, { tz: 'UTC' })
  }

  between(from: Instant, to: Instant): Span {
    const union = unionOf(this.#intervals(from, to))
    const edges = union.flatMap(({ start, end }) => [start, end]).filter((at) => at >= from && at < to)
    const awakeBefore = union.some(({ start, end }) => start < from && end >= from)
    return { awakeBefore, edges: Float64Array.from(edges) }
  }

  /** All intervals that touch this time, and some around it. */
  #intervals(from: Instant, to: Instant): Interval[] {
    // A zone is at most a day from UTC, a window ends at most a day after its start, and a zone may skip a day.
    const first = (Math.floor(from / DAY) - 3) * DAY
    const last = (Math.floor(to / DAY) + 3) * DAY
    return this.#noonsBetween(first, last)
      .flatMap((noon) => this.#intervalsOf(noon))
      .concat(addedIntervals(this.#calendars, this.#zone, first, last))
      .filter(({ start, end }) => start < end)
  }

  #noonsBetween(first: LocalTime, last: LocalTime): LocalTime[] {
    this.#noons.reset(new Date(first))
    const found: LocalTime[] = []
    for (let noon = this.#next(); noon < last; noon = this.#next()) found.push(noon)
    return found
  }

  #next(): LocalTime {
    return this.#noons.next().getTime()
  }

  #intervalsOf(noon: LocalTime): Interval[] {
    const midnight = noon - DAY / 2
    const hours = hoursOn(this.#calendars, midnight) ?? this.#hoursOn(noon)
    if (hours.length === 0) return []
    const day = this.#zone.day(midnight)
    if (!day.exists()) return []
    return hours.map(({ start, end }) => ({
      start: day.instantOf(start),
      end: day.instantOf(end < start ? end + MINUTES_OF_DAY : end),
    }))
  }

  #hoursOn(noon: LocalTime): readonly Hours[] {
    const weekday = new Date(noon).getUTCDay() || 7
    return this.#windows.filter(({ days }) => days.some((each) => each === weekday))
  }
}

/** The hours that calendars add between two instants, and some around them, each with its event's name. */
export function addedIntervals(
  calendars: readonly Calendar[],
  zone: Zone,
  from: Instant,
  to: Instant,
): (Interval & { readonly calendar: string; readonly event: string })[] {
  return calendars.flatMap(({ name: calendar, addedBetween }) =>
    (addedBetween?.(from, to) ?? []).map(({ start, end, isFloating, event }) => ({
      start: isFloating ? instantOf(zone, start) : start,
      end: isFloating ? instantOf(zone, end) : end,
      calendar,
      event,
    })),
  )
}

/** When the clocks of a zone show this time; seconds count. */
function instantOf(zone: Zone, local: LocalTime): Instant {
  const midnight = Math.floor(local / DAY) * DAY
  const minute = Math.floor((local - midnight) / MINUTE)
  return zone.day(midnight).instantOf(minute) + ((local - midnight) % MINUTE)
}

function unionOf(intervals: readonly Interval[]): Interval[] {
  const union: Interval[] = []
  for (const interval of intervals.toSorted((a, b) => a.start - b.start)) {
    const open = union.at(-1)
    if (open && interval.start <= open.end)
      union[union.length - 1] = { start: open.start, end: Math.max(open.end, interval.end) }
    else union.push(interval)
  }
  return union
}
