import { Scanner } from '../scanner.ts'
import { adviceFor } from './notation.ts'
import {
  canonical,
  minuteLeftOut,
  WEEKDAY_PATTERN,
  weekdayNamed,
  weekdays,
  weekFrom,
  windowOver,
  WEEK,
} from './window.ts'
import type { Weekday, Window } from './window.ts'

export { canonical } from './window.ts'
export type { Weekday, Window } from './window.ts'
export { A_TIMEZONE, isTimezone, timezoneAdvice, timezoneFault } from './zone.ts'

const MAX_LENGTH = 512
const MAX_WINDOWS = 32

const A_WINDOW = 'a window such as 8:00-18:00,Mon-Fri'
const A_TIME = 'a time H:MM from 0:00 to 24:00'
const A_DAY = 'a day such as Mon or Monday'
const AN_END_DAY = 'the day on which it ends, such as Fri 20:00'
const OVER_DAYS = 'a window over days has a day before each of its times: Mon 7:00-Fri 20:00'

/** White space, and a little more: what `\\s` means differs between engines. */
const SPACE = '[^!-~]*'
const DAYS_PATTERN = `,${SPACE}${WEEKDAY_PATTERN}${SPACE}(-${SPACE}${WEEKDAY_PATTERN}${SPACE})?`
const START_PATTERN = '([01]?[0-9]|2[0-3]):[0-5][0-9]'
const TO_PATTERN = `${SPACE}-${SPACE}`
const END_PATTERN = `(${START_PATTERN}|24:00)${SPACE}`
const HOURS_PATTERN = `${START_PATTERN}${TO_PATTERN}${END_PATTERN}(${DAYS_PATTERN})*`
const OVER_DAYS_PATTERN = `${WEEKDAY_PATTERN}${SPACE}${START_PATTERN}${TO_PATTERN}${WEEKDAY_PATTERN}${SPACE}${END_PATTERN}`
const WINDOW_PATTERN = `(${HOURS_PATTERN}|${OVER_DAYS_PATTERN})`

/**
 * Matches each schedule that `parseSchedule` takes, and an empty text, in any engine; of the others, those that are too
 * long, have a window that ends when it begins, or signs outside of ASCII instead of white space.
 */
export const SCHEDULE_PATTERN = `^${SPACE}(?i:${WINDOW_PATTERN}(;${SPACE}${WINDOW_PATTERN}){0,${MAX_WINDOWS - 1}})?$`

/** A schedule with a fault: where the first one is, and what was expected there. */
export class InvalidSchedule extends Error {
  override readonly name: string = 'InvalidSchedule'
  /** The column, from 1. */
  readonly position: number
  readonly expected: string

  constructor(message: string, position: number, expected: string) {
    super(message)
    this.position = position
    this.expected = expected
  }
}

/** A fault without advice. */
class Unclear extends InvalidSchedule {}

/**
 * Reads `8:00-18:00,Mon-Fri;10:00-14:00,Sat` and `Mon 7:00-Fri 20:00`. White space is allowed around times, days, `-`,
 * `,` and `;`. Throws InvalidSchedule at the first fault.
 */
export function parseSchedule(text: string): Window[] {
  try {
    return windowsOf(text)
  } catch (error) {
    throw error instanceof Unclear ? withAdvice(error, text) : error
  }
}

function withAdvice(fault: Unclear, text: string): InvalidSchedule {
  const advice = adviceFor(text)
  const message = advice === undefined ? fault.message : `${fault.message}: ${advice}`
  return new InvalidSchedule(message, fault.position, fault.expected)
}

function windowsOf(text: string): Window[] {
  if (text.length > MAX_LENGTH) throw tooLong(`this has ${text.length}`)
  const reader = new Reader(text)
  if (reader.atEnd()) throw reader.fault(A_WINDOW)
  const windows = [window(reader)]
  while (reader.skip(';')) {
    if (windows.length === MAX_WINDOWS)
      throw reader.fault(`at most ${MAX_WINDOWS} windows`, 'join windows that touch or overlap')
    windows.push(window(reader))
  }
  if (!reader.atEnd()) throw reader.fault("',' before days, ';' before another window, or the end")
  const { length } = canonical(windows)
  if (length > MAX_LENGTH) throw tooLong(`the canonical form of this has ${length}`)
  return windows
}

function window(reader: Reader): Window {
  if (reader.atEnd()) throw reader.fault(A_WINDOW, "remove the ';' at the end")
  if (reader.sees(';')) throw reader.fault(A_WINDOW, 'remove it')
  if (reader.sees(DAY_AND_TIME)) return windowOverDays(reader)
  const start = time(reader, 'start')
  if (!reader.skip('-')) throw reader.fault("'-' and the end of the window")
  const endAt = reader.mark()
  if (reader.sees(DAY_AND_TIME)) throw reader.fault(A_TIME, OVER_DAYS)
  const end = time(reader, 'end')
  if (end === start)
    throw reader.faultAt(endAt, 'an end other than the start', 'for all day write 0:00-24:00')
  return { start, end, days: reader.skip(',') ? days(reader) : [...WEEK] }
}

/** `Mon 7:00`, with or without a blank. */
const DAY_AND_TIME = /[a-z]+\s*\d/iy

/** `Mon 7:00-Fri 20:00`, of which each half has its day. */
function windowOverDays(reader: Reader): Window {
  const first = day(reader)
  const start = time(reader, 'start')
  if (!reader.skip('-')) throw reader.fault("'-' and the end of the window")
  const endAt = reader.mark()
  if (!reader.sees(DAY_AND_TIME)) throw reader.fault(AN_END_DAY)
  const last = day(reader)
  const found = windowOver(first, start, last, time(reader, 'end'))
  if (!found)
    throw reader.faultAt(endAt, 'an end other than the start', 'for the whole week write 0:00-24:00')
  if (reader.atEnd() || reader.sees(';')) return found
  const more = reader.sees(',') ? 'a window over days takes no more days' : undefined
  throw reader.fault("';' before another window, or the end", more)
}

function time(reader: Reader, side: 'start' | 'end'): number {
  const at = reader.mark()
  const [, hour, minute] = reader.match(/(\d{1,2}):(\d{2})(?!\d)/y) ?? []
  const found = hour === undefined ? NaN : Number(hour) * 60 + Number(minute)
  if (!(Number(minute) < 60 && found <= 24 * 60)) throw reader.faultAt(at, A_TIME)
  if (side === 'start' && found === 24 * 60)
    throw reader.faultAt(at, 'a start from 0:00 to 23:59', '24:00 is an end only: write 0:00 of the next day')
  return found
}

function days(reader: Reader): Weekday[] {
  const given: Weekday[] = []
  do {
    const first = day(reader)
    given.push(...weekdays(first, reader.skip('-') ? day(reader) : first))
  } while (reader.skip(','))
  const order = new Set(given).size < WEEK.length && given[0] ? weekFrom(given[0]) : WEEK
  return order.filter((each) => given.includes(each))
}

function day(reader: Reader): Weekday {
  const at = reader.mark()
  const found = weekdayNamed(reader.match(/[a-z]+/iy)?.[0] ?? '')
  if (found) return found
  reader.reset(at)
  throw reader.fault(A_DAY, reader.sees(/\d+:/y) ? "join windows by ';'" : undefined)
}

function tooLong(what: string): InvalidSchedule {
  const expected = `at most ${MAX_LENGTH} characters`
  return new InvalidSchedule(
    `at ${MAX_LENGTH + 1}: expected ${expected}, ${what}: use fewer windows`,
    MAX_LENGTH + 1,
    expected,
  )
}

class Reader extends Scanner {
  fault(expected: string, advice?: string): InvalidSchedule {
    return this.faultAt(this.mark(), expected, advice)
  }

  faultAt(at: number, expected: string, advice?: string): InvalidSchedule {
    const found = /^(?:[-,;]|[^\s,;]{1,20})/.exec(this.from(at))?.[0]
    const message = `at ${at + 1}: expected ${expected}, found ${found ? `'${found}'` : 'the end'}`
    return advice
      ? new InvalidSchedule(`${message}: ${advice}`, at + 1, expected)
      : new Unclear(message, at + 1, expected)
  }
}

/** A doubt: people rarely mean this by a schedule that can be read; undefined: nothing, or it cannot be read. */
export function scheduleDoubt(text: string): string | undefined {
  try {
    const minute = minuteLeftOut(parseSchedule(text))
    if (minute === undefined) return undefined
    const at = `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
    return `asleep for one minute from ${at} on, in which everything stops; the end of a day is written 24:00`
  } catch (error) {
    if (error instanceof InvalidSchedule) return undefined
    throw error
  }
}
