import { canonical, weekdays, weekFrom, WEEK, type Weekday, type Window } from './window.ts'
import { isTimezone } from './zone.ts'

/** A longer text is not another tool's schedule. */
const MAX_WORDS = 24
const MAX_ADVICE = 120

/** A part of a schedule, in any order and with any separators. */
type Part =
  | { readonly days: readonly Weekday[]; readonly hours?: undefined }
  | { readonly days?: undefined; readonly hours: Pick<Window, 'start' | 'end'> }

/**
 * A suggestion for a schedule in another tool's notation: a downscaler's `Mon-Fri 08:00-18:00 Europe/Berlin`, cron's `0
 * 8 * * 1-5`, or hours such as `9am-5pm`. undefined: the meaning is not clear.
 */
export function adviceFor(text: string): string | undefined {
  const words = wordsOf(text)
  if (words.length > MAX_WORDS) return undefined
  const cron = cronAdvice(text)
  if (cron !== undefined) return cron
  const zones = words.filter((word) => /^[a-z]/i.test(word) && daysOf(word, false) === undefined)
  const [zone] = zones
  const rest = words.filter((word) => !zones.includes(word))
  if (text.trim().toLowerCase() === 'always') return 'write the hours awake as 0:00-24:00'
  if (zones.some((each) => each !== zone) || (zone !== undefined && !isTimezone(zone))) return undefined
  const windows = windowsOf(rest)
  const schedule = windows && canonical(windows)
  if (!windows || !schedule || schedule.length > MAX_ADVICE) return undefined
  const overnight = windows.some(({ start, end }) => end < start) ? ', each until the morning after' : ''
  const zoned = zone === undefined ? '' : `; the zone ${zone} goes into the setting timezone`
  return `write the hours awake as ${schedule}${overnight}${zoned}`
}

/** The words between white space, commas and semicolons; `9 am - 5 pm` is one. */
function wordsOf(text: string): string[] {
  const joined = text.replaceAll(/\s*[-\u2013\u2014]\s*/g, '-').replaceAll(/(\d)\s+([ap]m)\b/gi, '$1$2')
  return joined.split(/[\s,;]+/).filter((word) => word !== '')
}

/** Days come before their hours or after them, the same way in the whole text. */
function windowsOf(words: readonly string[]): Window[] | undefined {
  const digitsAreDays = words.some((word) => /\d[:.]\d|[ap]m/i.test(word))
  const parts = words.map((word) => partOf(word, digitsAreDays))
  const daysFirst = parts[0]?.days !== undefined
  const windows: Window[] = []
  let days: Weekday[] = []
  // If days come last, read from the end, so that they come first again.
  for (const part of daysFirst ? parts : parts.toReversed()) {
    if (!part || (part.hours && daysFirst && days.length === 0)) return undefined
    if (part.days) days = daysFirst ? [...days, ...part.days] : [...part.days, ...days]
    else {
      windows.push({ ...part.hours, days: inOrder(days) })
      days = []
    }
  }
  if (windows.length === 0 || days.length > 0) return undefined
  return daysFirst ? windows : windows.toReversed()
}

/** Each day once, in the order of the week from the first. */
function inOrder(days: readonly Weekday[]): Weekday[] {
  const [first = 1] = days
  return days.length === 0 || new Set(days).size === WEEK.length
    ? [...WEEK]
    : weekFrom(first).filter((day) => days.includes(day))
}

function partOf(word: string, digitsAreDays: boolean): Part | undefined {
  const days = daysOf(word, digitsAreDays)
  if (days) return { days }
  const [, from = '', to = ''] = /^([^-]+)-([^-]+)$/.exec(word) ?? []
  const [start, end] = [minuteOf(from), minuteOf(to)]
  if (start === undefined || end === undefined || start === end || start === 24 * 60) return undefined
  return { hours: { start, end } }
}

/** The days of `Mon`, `Mo-Fr`, `Thurs` and, where `digits` may be days, of cron's `1-5`. */
function daysOf(word: string, digits: boolean): Weekday[] | undefined {
  const [from = '', to = from, ...more] = word.split('-')
  const [first, last] = [dayOf(from, digits), dayOf(to, digits)]
  return first !== undefined && last !== undefined && more.length === 0 ? weekdays(first, last) : undefined
}

const NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function dayOf(name: string, digits: boolean): Weekday | undefined {
  if (digits && /^[0-7]$/.test(name)) return name === '0' ? 7 : WEEK[Number(name) - 1]
  return name.length < 2 ? undefined : WEEK[NAMES.findIndex((known) => known.startsWith(name.toLowerCase()))]
}

/** The minute of the day of `8`, `08:00`, `8.30`, `08:00:00` and `5pm`. */
function minuteOf(text: string): number | undefined {
  const [, hour, minute = '0', half] = /^(\d{1,2})(?:[:.]([0-5]\d)(?::00)?)?([ap]m)?$/i.exec(text) ?? []
  if (hour === undefined) return undefined
  const found = Number(hour) * 60 + Number(minute)
  if (half === undefined) return found <= 24 * 60 ? found : undefined
  if (Number(hour) < 1 || Number(hour) > 12) return undefined
  return (found % (12 * 60)) + (half.toLowerCase() === 'pm' ? 12 * 60 : 0)
}

const CRON =
  /^\s*(?:(?:CRON_)?TZ=\S+\s+)?(\S+)\s+(\S+)\s+([\d*?/,-]+)\s+([\d*?/,a-z-]+)\s+([\d*?/,#a-z-]+)(?:\s+[\w/]+)?\s*$/i

function cronAdvice(text: string): string | undefined {
  const [, minute = '', hour = '', day, month, weekday = ''] = CRON.exec(text) ?? []
  if (![minute, hour].every((field) => /^[\d*][\d*/,-]*$/.test(field))) return undefined
  const advice = 'this is cron. A schedule here lists the hours awake, for example '
  const start = minuteOf(`${hour}:${minute.padStart(2, '0')}`)
  const days = /^[*?]$/.test(weekday) ? [[]] : weekday.split(',').map((part) => daysOf(part, true))
  if (start === undefined || day !== '*' || month !== '*' || days.includes(undefined))
    return `${advice}8:00-18:00,Mon-Fri`
  const window = { start, end: 0, days: inOrder(days.flatMap((each) => each ?? [])) }
  return `${advice}${canonical([window]).replace('-0:00', '-<end>')}`
}
