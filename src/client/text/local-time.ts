import { textForPeople } from '../../domain/workload/author.ts'
import type { Instant } from '../../process/clock.ts'
import { format } from '../../words/time.ts'

/** Formats times for people: `18:00` today, `Mon 8:00` within a week, else with the date. */
export interface LocalTimes {
  readonly now: Instant
  /** An IANA name; undefined: the machine's own, for which the tables of all zones need not be loaded (15 ms). */
  readonly zone: string | undefined
}

const DAY = 24 * 60 * 60_000

export function shortTime(instant: Instant, { now, zone }: LocalTimes): string {
  const [at, present] = [parts(instant, zone), parts(now, zone)]
  const clock = `${Number(at['hour'])}:${at['minute']}`
  if (at['date'] === present['date']) return clock
  const isNear = Math.abs(instant - now) < 6 * DAY
  return isNear ? `${at['weekday']} ${clock}` : `${at['weekday']} ${at['date']} ${clock}`
}

/** `Mon 2026-11-23 08:00`, for columns. */
export function longTime(instant: Instant, zone: string | undefined): string {
  const { weekday, date, hour, minute } = parts(instant, zone)
  return `${weekday} ${date} ${hour}:${minute}`
}

/**
 * A text of Dormouse for this reader: times in their local form, names without the prefix that says how they signed in.
 * The reader's zone is named if the clocks of a zone that the text names, or of `beside`, show another time.
 */
export function worded(text: string, times: LocalTimes, beside: string | null = null): string {
  const others = [...text.matchAll(ZONE_IN_TEXT)].map(([, zone]) => zone ?? null)
  return textForPeople(text, (at) => {
    const here = shortTime(at, times)
    const differs = [beside, ...others].some(
      (zone) => zone !== null && shortTime(at, { ...times, zone }) !== here,
    )
    return differs ? `${here} (${zoneOf(times)})` : here
  })
}

/** Behind the hours of a schedule: `8:00-18:00 (Asia/Tokyo, calendar japan)`. */
const ZONE_IN_TEXT = /\((UTC|[A-Z]\w+(?:\/[\w+-]+)+)(?=[,)])/g

/** The name of the reader's zone. */
export function zoneOf({ zone }: Pick<LocalTimes, 'zone'>): string {
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** A list of thousands names the same few instants again and again, and to format one takes as long as the rest of its line. */
const known = new Map<string, Record<string, string>>()
const MOST_KNOWN = 1000

function parts(instant: Instant, zone: string | undefined): Record<string, string> {
  if (zone === undefined) return ownParts(new Date(instant))
  const id = `${instant} ${zone}`
  const before = known.get(id)
  if (before) return before
  if (known.size >= MOST_KNOWN) known.clear()
  const found = partsIn(zone, instant)
  known.set(id, found)
  return found
}

function partsIn(zone: string, instant: Instant): Record<string, string> {
  const found = Object.fromEntries(
    format(PARTS, zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  )
  return { ...found, date: `${found['year']}-${found['month']}-${found['day']}` }
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function ownParts(date: Date): Record<string, string> {
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    weekday: WEEKDAYS[date.getDay()] ?? '',
    date: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    hour: two(date.getHours()),
    minute: two(date.getMinutes()),
  }
}

const PARTS: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}
