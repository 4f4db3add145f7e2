import type { Instant } from '../../process/clock.ts'
import { UsageError } from '../../process/errors.ts'
import { REQUEST_BOUNDS } from './duration.ts'

const [, LONGEST] = REQUEST_BOUNDS
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const A_TIME = "a time such as 18:00, 'mon 8:00', fri, tomorrow, 2026-11-24 or 2026-11-24T18:00"

/**
 * The instant that follows an option such as `--until`: the next time when the clock shows that, the end of a date, or an
 * instant. Local times are in `zone`. @throws UsageError where it is no time, or none that is ahead
 */
export async function comingInstant(
  option: string,
  text: string,
  now: Instant,
  zone = 'local',
): Promise<Instant> {
  const { DateTime } = await import('luxon')
  const wrong = () => new UsageError(`${option}: expected ${A_TIME}, found '${text}'${clockAdvice(text)}`)
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
    if (clock !== undefined && (hour > 23 || minute > 59)) throw wrong()
    end = here.plus({ days: ahead }).set({ hour, minute, second: 0, millisecond: 0 })
    // A day alone means its end, as a date does.
    if (clock === undefined) end = end.startOf('day').plus({ days: 1 })
    else if (end.toMillis() <= now && day?.toLowerCase() !== 'today')
      end = end.plus({ days: weekday < 0 ? 1 : 7 })
  }
  if (!end.isValid) throw wrong()
  const instant = end.toMillis()
  if (instant <= now) throw new UsageError(`${option}: ${text} has passed; give ${A_TIME}`)
  if (instant - now > LONGEST) throw new UsageError(`${option}: ${text} is more than a year ahead`)
  return instant
}

/** Advice for an hour as others write it, `6pm` or `18`: `: did you mean 18:00?`; '' for any other text. */
function clockAdvice(text: string): string {
  const [, day = '', hour, minute = '00', half] =
    /^([a-z]{0,9}[ ,]?)\s*(\d{1,2})(?:[:.](\d{2}))?\s*(?:([ap])\.?m\.?|h|uhr|o'clock)?$/i.exec(text.trim()) ??
    []
  if (hour === undefined || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))) return ''
  const shown =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return shown > 23 || Number(minute) > 59 ? '' : `: did you mean '${day.toLowerCase()}${shown}:${minute}'?`
}
