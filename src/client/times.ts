import type { Instant } from '../service/process/clock.ts'
import { UsageError } from '../service/process/errors.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The longest that a request may be for: a year. */
const LONGEST = 8760 * HOUR

const A_DURATION = 'a duration such as 90m, 4h, 1h30m or 2d, of whole minutes and at most a year'

/** Milliseconds of what follows `--for`. @throws UsageError */
export function parseFor(text: string): number {
  const [match, days, hours, minutes] = /^(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,6})m)?$/.exec(text) ?? []
  const value = Number(days ?? 0) * DAY + Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE
  if (match !== undefined && value >= MINUTE && value <= LONGEST) return value
  const unit = /^\d+$/.test(text) ? `: did you mean ${text}m or ${text}h?` : ''
  throw new UsageError(`--for: expected ${A_DURATION}, found '${text}'${unit}`)
}

/** Milliseconds of a time to wait: seconds, too. @throws UsageError that names the option */
export function parseTimeout(option: string, text: string): number {
  const [match, hours, minutes, seconds] = /^(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/.exec(text) ?? []
  const value = Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE + Number(seconds ?? 0) * 1000
  if (match !== undefined && match !== '' && value > 0) return value
  throw new UsageError(`${option}: expected a duration such as 90s or 5m, found '${text}'`)
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const AN_END = "a time such as 18:00, 'mon 8:00', fri, tomorrow, 2026-11-24 or 2026-11-24T18:00"

/**
 * The instant that follows `--until`: the next time when the clock shows that, the end of a date, or an instant. Local
 * times are in `zone`. @throws UsageError where it is no time, or none that is ahead
 */
export async function parseUntil(text: string, now: Instant, zone = 'local'): Promise<Instant> {
  const { DateTime } = await import('luxon')
  const here = DateTime.fromMillis(now, { zone })
  const [, day, clock] =
    /^(?:(today|tomorrow|sun|mon|tue|wed|thu|fri|sat)[a-z]*)?[ ,]*(\d{1,2}:\d{2})?$/i.exec(text.trim()) ?? []
  let end = DateTime.fromISO(text.trim(), { zone })
  if (/^\d{4}-\d{2}-\d{2}$/.test(text.trim())) end = end.plus({ days: 1 })
  if (day !== undefined || clock !== undefined) {
    const [hour = 0, minute = 0] = (clock ?? '').split(':').map(Number)
    const weekday = WEEKDAYS.indexOf((day ?? '').toLowerCase())
    const ahead =
      day?.toLowerCase() === 'tomorrow' ? 1 : weekday < 0 ? 0 : (weekday - (here.weekday % 7) + 7) % 7
    if (clock !== undefined && (hour > 23 || minute > 59)) throw wrongEnd(text)
    end = here.plus({ days: ahead }).set({ hour, minute, second: 0, millisecond: 0 })
    // A day alone means its end, as a date does.
    if (clock === undefined) end = end.startOf('day').plus({ days: 1 })
    else if (end.toMillis() <= now && day?.toLowerCase() !== 'today')
      end = end.plus({ days: weekday < 0 ? 1 : 7 })
  }
  if (!end.isValid) throw wrongEnd(text)
  const instant = end.toMillis()
  if (instant <= now) throw new UsageError(`--until: ${text} has passed; give ${AN_END}`)
  if (instant - now > LONGEST) throw new UsageError(`--until: ${text} is more than a year ahead`)
  return instant
}

function wrongEnd(text: string): UsageError {
  return new UsageError(`--until: expected ${AN_END}, found '${text}'`)
}

/** Whole minutes to an instant, rounded up, in milliseconds. */
export function minutesTo(until: Instant, now: Instant): number {
  return Math.min(LONGEST, Math.ceil((until - now) / MINUTE) * MINUTE)
}

/** How long that is, as kubectl writes ages: `45s`, `12m`, `3h20m`, `4d`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 10 && minutes % 60 > 0) return `${hours}h${minutes % 60}m`
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`
}
