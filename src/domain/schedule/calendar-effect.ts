import type { Instant } from '../../process/clock.ts'
import { addedIntervals } from './edges.ts'
import { dateOf, calendarOn, type Calendar, type Hours } from './calendar.ts'
import { parseSchedule } from './syntax.ts'
import { byDay, canonical, WEEK, type Window } from './window.ts'
import { Zone, type LocalTime } from './zone.ts'

const DAY = 24 * 60 * 60_000

/** Dates, one after another, on which calendars replace the hours of a schedule by the same others. */
export interface Replaced {
  /** `2026-12-24`, both included. */
  readonly first: string
  readonly last: string
  /** `9:00-14:00`; '': none. */
  readonly hours: string
  /** The calendar's name. */
  readonly calendar: string
  /** The name of the event; null: none, or it has no name. */
  readonly event: string | null
}

/** Hours that a calendar adds. */
export interface AddedHours {
  readonly start: Instant
  readonly end: Instant
  readonly calendar: string
  readonly event: string | null
}

/** The hours that calendars add between two instants, by their start. */
export function calendarAdditions(
  calendars: readonly Calendar[],
  zone: string,
  from: Instant,
  to: Instant,
): AddedHours[] {
  const clocks = Zone.named(zone)
  if (!clocks) return []
  return addedIntervals(calendars, clocks, from, to)
    .filter(({ start, end }) => end > from && start < to)
    .map(({ start, end, calendar, event }) => ({ start, end, calendar, event: event || null }))
    .toSorted((a, b) => a.start - b.start)
}

/**
 * The dates on which calendars change a schedule, among `days` dates from the date of this midnight on. Dates on which
 * the hours stay the same are left out, unless they lie between others.
 * @throws InvalidSchedule
 */
export function calendarEffect(
  text: string,
  calendars: readonly Calendar[],
  from: LocalTime,
  days: number,
): Replaced[] {
  const windows = parseSchedule(text).flatMap(byDay)
  const found: Replaced[] = []
  /** The latest stretch, while the dates after it have the same hours of the same calendar. */
  let open: Replaced | undefined
  for (let midnight = from; midnight < from + days * DAY; midnight += DAY) {
    const counting = calendarOn(calendars, midnight)
    const hours = counting?.hoursOn(midnight)
    const calendar = counting?.name ?? ''
    const event = counting?.eventOn?.(midnight) || null
    const [date, shown] = [dateOf(midnight), hours && textOf(hours)]
    if (open?.hours !== shown || open?.calendar !== calendar || open?.event !== event) open = undefined
    if (shown === undefined || shown === textOf(usualOn(windows, midnight))) continue
    if (open) found.pop()
    open = { first: open?.first ?? date, last: date, hours: shown, calendar, event }
    found.push(open)
  }
  return found
}

function usualOn(windows: readonly Window[], midnight: LocalTime): Hours[] {
  const weekday = new Date(midnight).getUTCDay() || 7
  return windows.filter(({ days }) => days.some((each) => each === weekday))
}

function textOf(hours: readonly Hours[]): string {
  const sorted = hours.toSorted((a, b) => a.start - b.start || a.end - b.end)
  return sorted.length === 0 ? '' : canonical(sorted.map(({ start, end }) => ({ start, end, days: WEEK })))
}
