import { InvalidSchedule, parseSchedule } from './syntax.ts'
import { MINUTES_OF_DAY, WEEK, type Window } from './window.ts'
import type { LocalTime } from './zone.ts'

const MINUTE = 60_000
const DAY = MINUTES_OF_DAY * MINUTE
/** Days that one range may name: ten years. */
const LONGEST_RANGE = 3660

/** Hours that start on a date, whatever its day of the week. */
export type Hours = Pick<Window, 'start' | 'end'>

/** Hours that a calendar adds to those of a schedule. */
export interface Added {
  /** Milliseconds since the epoch; `isFloating`: as the clocks of the workload's zone show it. */
  readonly start: number
  readonly end: number
  readonly isFloating: boolean
  /** The name of its event; '': it has none. */
  readonly event: string
}

/** Dates that have hours of their own. Never changed in place: a calendar that changes is another object. */
export interface Calendar {
  readonly name: string
  /** Calendars with equal keys have the same dates. */
  readonly key: string
  /** The hours that start on the date of this midnight; none: an empty list; undefined: the schedule's own. */
  hoursOn(midnight: LocalTime): readonly Hours[] | undefined
  /** The name of the event by which it has this date; '': none, or it has no name. */
  eventOn?(midnight: LocalTime): string
  /** The hours that it adds between two instants, and some around them; by their start. */
  readonly addedBetween?: (from: number, to: number) => readonly Added[]
}

/** The calendars by name. */
export interface Calendars {
  /** A text: why it cannot be used; undefined: there is none of this name. */
  find(name: string): Calendar | string | undefined
  readonly names: readonly string[]
}

export const NO_CALENDARS: Calendars = { find: () => undefined, names: [] }

/** A list of calendars that cannot be used. The position is 1. */
export class InvalidCalendar extends InvalidSchedule {
  override readonly name = 'InvalidCalendar'

  constructor(message: string) {
    super(message, 1, 'names of calendars, separated by commas')
  }
}

/** Dates and ranges of dates (`2026-12-24..2027-01-01`), each with its hours: '' for none, or `9:00-14:00`. */
export type Dates = Readonly<Record<string, string>>

/** The facts about a calendar beside its dates in the configuration. */
export interface Read {
  /** Midnights of dates without any hours, unless the dates of the configuration have them, each with its event's name. */
  readonly days?: Iterable<readonly [LocalTime, string]>
  /** By their start. */
  readonly windows?: readonly Added[]
  /** Its dates add their hours, and take none away. */
  readonly means?: Meaning
  /** Identifies its version. */
  readonly revision?: number
}
export const MEANINGS = ['asleep', 'awake'] as const
/** The meaning of a calendar's events. */
export type Meaning = (typeof MEANINGS)[number]

/**
 * A calendar of these dates.
 * @throws InvalidSchedule for the first faulty entry
 */
export function calendarOf(
  name: string,
  dates: Dates,
  { days = [], windows = [], means = 'asleep', revision = 0 }: Read = {},
): Calendar {
  const hours = new Map<LocalTime, readonly Hours[]>()
  const events = new Map<LocalTime, string>(days)
  for (const midnight of events.keys()) hours.set(midnight, [])
  for (const [range, text] of Object.entries(dates)) {
    const of = parseHours(text)
    for (const midnight of parseDates(range)) {
      hours.set(midnight, of)
      events.delete(midnight)
    }
  }
  const key = `${name}@${revision}`
  if (means === 'asleep')
    return {
      name,
      key,
      hoursOn: (midnight) => hours.get(midnight),
      eventOn: (midnight) => events.get(midnight) ?? '',
    }
  const all = [
    ...windows,
    ...[...hours].flatMap(([midnight, of]) => of.map((each) => addedOn(midnight, each))),
  ]
  return { name, key, hoursOn: () => undefined, addedBetween: searchIn(all) }
}

function addedOn(midnight: LocalTime, { start, end }: Hours): Added {
  const last = end < start ? end + MINUTES_OF_DAY : end
  return { start: midnight + start * MINUTE, end: midnight + last * MINUTE, isFloating: true, event: '' }
}

function searchIn(windows: readonly Added[]): NonNullable<Calendar['addedBetween']> {
  const sorted = windows.toSorted((a, b) => a.start - b.start)
  const longest = Math.max(0, ...sorted.map(({ start, end }) => end - start))
  /** The place of the first that starts at or after `t`. */
  const placeOf = (t: number) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sorted[middle]?.start ?? Infinity) < t) low = middle + 1
      else high = middle
    }
    return low
  }
  // The clocks of no zone are a whole day from UTC.
  return (from, to) => sorted.slice(placeOf(from - longest - DAY), placeOf(to + DAY))
}

/** The first calendar that has the date: that one counts. */
export function calendarOn(calendars: readonly Calendar[], midnight: LocalTime): Calendar | undefined {
  return calendars.find((calendar) => calendar.hoursOn(midnight))
}

/** Edges are searched by it: it looks a date up once. */
export function hoursOn(calendars: readonly Calendar[], midnight: LocalTime): readonly Hours[] | undefined {
  for (const calendar of calendars) {
    const hours = calendar.hoursOn(midnight)
    if (hours) return hours
  }
  return undefined
}

/** The names of `de-be, company`, each once. */
export function calendarNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

/** @throws InvalidCalendar where a name is unknown, or its calendar cannot be used */
export function findCalendars(text: string, calendars: Calendars): Calendar[] {
  return calendarNames(text).map((name) => {
    const found = calendars.find(name)
    if (found === undefined) throw new InvalidCalendar(unknownCalendar(name, calendars.names))
    if (typeof found === 'string') throw new InvalidCalendar(`calendar ${name} cannot be used: ${found}`)
    return found
  })
}

function unknownCalendar(name: string, names: readonly string[]): string {
  const known =
    names.length === 0
      ? 'the configuration has no calendars'
      : `write one of ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`
  return `there is no calendar '${name.slice(0, 63)}': ${known}`
}

/**
 * The midnights of a date or a range of dates, both ends included.
 * @throws InvalidSchedule
 */
export function parseDates(range: string): LocalTime[] {
  const [, from = '', to = from] = /^(\d{4}-\d{2}-\d{2})(?:\.\.(\d{4}-\d{2}-\d{2}))?$/.exec(range) ?? []
  const [first, last] = [midnightOf(from), midnightOf(to)]
  if (first === undefined || last === undefined) throw wrong(A_DATE, range)
  if (last < first) throw wrong('a range whose first date comes first', range)
  if ((last - first) / DAY >= LONGEST_RANGE) throw wrong('a range of ten years at most', range)
  return Array.from({ length: (last - first) / DAY + 1 }, (_, index) => first + index * DAY)
}

const A_DATE = 'a date such as 2026-12-24, or a range such as 2026-12-24..2027-01-01'

function wrong(expected: string, found: string): InvalidSchedule {
  return new InvalidSchedule(`expected ${expected}, found '${found.slice(0, 40)}'`, 1, expected)
}

/** The inverse of `parseDates`, in as few ranges as possible. */
export function dateRanges(midnights: Iterable<LocalTime>): string[] {
  const ranges: { first: LocalTime; last: LocalTime }[] = []
  for (const midnight of [...new Set(midnights)].toSorted((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range && midnight - range.last === DAY && midnight - range.first < LONGEST_RANGE * DAY)
      range.last = midnight
    else ranges.push({ first: midnight, last: midnight })
  }
  return ranges.map(({ first, last }) =>
    first === last ? dateOf(first) : `${dateOf(first)}..${dateOf(last)}`,
  )
}

/** Midnight of `2026-12-24` as clocks in UTC show it; undefined: there is no such date. */
export function midnightOf(date: string): LocalTime | undefined {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight) && dateOf(midnight) === date ? midnight : undefined
}

/** `2026-12-24`. */
export function dateOf(midnight: LocalTime): string {
  return new Date(midnight).toISOString().slice(0, 10)
}

/**
 * The hours of one date: '' for none, or windows without days such as `9:00-12:00;13:00-17:00`.
 * @throws InvalidSchedule
 */
export function parseHours(text: string): Hours[] {
  if (text.trim() === '') return []
  const windows = parseSchedule(text)
  if (windows.some(({ days }) => days.length < WEEK.length))
    throw wrong('hours without days, since the date says the day: 9:00-14:00', text)
  return windows.map(({ start, end }) => ({ start, end }))
}
