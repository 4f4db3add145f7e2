import {
  aDuration,
  durationIn,
  REQUEST_BOUNDS,
  unitAdvice,
  type Bounds,
} from '../domain/schedule/duration.ts'
import type { Instant } from '../service/process/clock.ts'
import { UsageError } from '../service/process/errors.ts'

const MINUTE = 60_000
const [, LONGEST] = REQUEST_BOUNDS

/** Milliseconds of an option's value. @throws UsageError that names the option */
export function durationOption(option: string, text: string, bounds: Bounds = REQUEST_BOUNDS): number {
  const value = durationIn(text, bounds)
  if (value !== undefined) return value
  throw new UsageError(`${option}: expected ${aDuration(bounds)}, found '${text}'${unitAdvice(text)}`)
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
