import { textForPeople } from '../domain/workload/author.ts'

const DAY = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** A formatter that is made once: making one takes longer than a hundred uses. */
export function format(options: Intl.DateTimeFormatOptions, timeZone?: string): Intl.DateTimeFormat {
  const id = JSON.stringify([options, timeZone])
  let known = formats.get(id)
  if (!known) {
    known = formatIn(timeZone, options)
    formats.set(id, known)
  }
  return known
}

/** A workload may name anything as its zone: then its clocks are those of UTC, as the service takes them. */
function formatIn(timeZone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, ...(timeZone !== undefined && { timeZone }) })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  }
}

export const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
export const DATE: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' }

/** `18:00` today, `Sat 18:00` within six days, else `Mon 24 Nov, 18:00`, in the reader's own zone. */
export function shortTime(at: number, now: number): string {
  const time = format(TIME).format(at)
  const day = format(DATE).format(at)
  if (day === format(DATE).format(now)) return time
  if (day === format(DATE).format(now + DAY)) return `tomorrow, ${time}`
  if (at > now && at < now + 6 * DAY) return `${format({ weekday: 'short' }).format(at)} ${time}`
  return `${day}, ${time}`
}

/** A text of the service on the reader's own clocks, in place of UTC, and with names as people have them. */
export function localised(text: string, now: number): string {
  return textForPeople(text, (at) => shortTime(at, now))
}

/** `2 h 5 min`, `3 days`. */
export function duration(milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000))
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.round(hours / 24)} days`
}

/** `in 5 min`, `5 min ago`; an instant while the page draws may be slightly ahead of `now`. */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 60_000) return 'just now'
  return at >= now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`
}
