import { comingInstant } from '../domain/schedule/coming-instant.ts'
import {
  aDuration,
  durationIn,
  REQUEST_BOUNDS,
  unitAdvice,
  type Bounds,
} from '../domain/schedule/duration.ts'
import type { Instant } from '../process/clock.ts'
import { UsageError } from '../process/errors.ts'

const MINUTE = 60_000
const [, LONGEST] = REQUEST_BOUNDS

/** Milliseconds of an option's value. @throws UsageError that names the option */
export function durationOption(option: string, text: string, bounds: Bounds = REQUEST_BOUNDS): number {
  const value = durationIn(text, bounds)
  if (value !== undefined) return value
  throw new UsageError(`${option}: expected ${aDuration(bounds)}, found '${text}'${unitAdvice(text)}`)
}

/** The instant that follows `--until`, as `comingInstant` has it. @throws UsageError */
export function parseUntil(text: string, now: Instant, zone?: string): Promise<Instant> {
  return comingInstant('--until', text, now, zone)
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
