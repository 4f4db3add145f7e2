import { adviceFor } from './notation.ts'
import { canonical, weekdayNamed, weekdays, weekFrom, WEEK } from './window.ts'
import type { Weekday, Window } from './window.ts'

export { canonical } from './window.ts'
export type { Weekday, Window } from './window.ts'
export { A_TIMEZONE, isTimezone, timezoneFault } from './zone.ts'

const MAX_LENGTH = 512
const MAX_WINDOWS = 32

const A_WINDOW = 'a window such as 8:00-18:00,Mon-Fri'
const A_TIME = 'a time H:MM from 0:00 to 24:00'
const A_DAY = 'a day such as Mon or Monday'

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
 * Reads `8:00-18:00,Mon-Fri;10:00-14:00,Sat`. White space is allowed around times, days, `-`, `,` and `;`. Throws
 * InvalidSchedule at the first fault.
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
  const scanner = new Scanner(text)
  if (scanner.atEnd()) throw scanner.fault(A_WINDOW)
  const windows = [window(scanner)]
  while (scanner.skip(';')) {
    if (windows.length === MAX_WINDOWS)
      throw scanner.fault(`at most ${MAX_WINDOWS} windows`, 'join windows that touch or overlap')
    windows.push(window(scanner))
  }
  if (!scanner.atEnd()) throw scanner.fault("',' before days, ';' before another window, or the end")
  const { length } = canonical(windows)
  if (length > MAX_LENGTH) throw tooLong(`the canonical form of this has ${length}`)
  return windows
}

function window(scanner: Scanner): Window {
  if (scanner.atEnd()) throw scanner.fault(A_WINDOW, "remove the ';' at the end")
  if (scanner.sees(';')) throw scanner.fault(A_WINDOW, 'remove it')
  const start = time(scanner, 'start')
  if (!scanner.skip('-')) throw scanner.fault("'-' and the end of the window")
  const endAt = scanner.mark()
  const end = time(scanner, 'end')
  if (end === start)
    throw scanner.faultAt(endAt, 'an end other than the start', 'for all day write 0:00-24:00')
  return { start, end, days: scanner.skip(',') ? days(scanner) : [...WEEK] }
}

function time(scanner: Scanner, side: 'start' | 'end'): number {
  const at = scanner.mark()
  const [, hour, minute] = scanner.match(/(\d{1,2}):(\d{2})(?!\d)/y) ?? []
  const found = hour === undefined ? NaN : Number(hour) * 60 + Number(minute)
  if (!(Number(minute) < 60 && found <= 24 * 60)) throw scanner.faultAt(at, A_TIME)
  if (side === 'start' && found === 24 * 60)
    throw scanner.faultAt(
      at,
      'a start from 0:00 to 23:59',
      '24:00 is an end only: write 0:00 of the next day',
    )
  return found
}

function days(scanner: Scanner): Weekday[] {
  const given: Weekday[] = []
  do {
    const first = day(scanner)
    given.push(...weekdays(first, scanner.skip('-') ? day(scanner) : first))
  } while (scanner.skip(','))
  const order = new Set(given).size < WEEK.length && given[0] ? weekFrom(given[0]) : WEEK
  return order.filter((each) => given.includes(each))
}

function day(scanner: Scanner): Weekday {
  const at = scanner.mark()
  const found = weekdayNamed(scanner.match(/[a-z]+/iy)?.[0] ?? '')
  if (found) return found
  scanner.reset(at)
  throw scanner.fault(A_DAY, scanner.sees(/\d+:/y) ? "join windows by ';'" : undefined)
}

function tooLong(what: string): InvalidSchedule {
  const expected = `at most ${MAX_LENGTH} characters`
  return new InvalidSchedule(
    `at ${MAX_LENGTH + 1}: expected ${expected}, ${what}: use fewer windows`,
    MAX_LENGTH + 1,
    expected,
  )
}

/** A cursor over the text that skips white space. */
class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.match(/\s*/y)
  }

  atEnd(): boolean {
    return this.#at === this.#text.length
  }

  mark(): number {
    return this.#at
  }

  reset(mark: number): void {
    this.#at = mark
  }

  sees(what: string | RegExp): boolean {
    if (typeof what === 'string') return this.#text.startsWith(what, this.#at)
    what.lastIndex = this.#at
    return what.test(this.#text)
  }

  skip(character: string): boolean {
    const seen = this.sees(character)
    if (seen) this.#advance(character.length)
    return seen
  }

  /** Consumes a sticky expression's match at the cursor. */
  match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)
    if (found) this.#advance(found[0].length)
    return found
  }

  fault(expected: string, advice?: string): InvalidSchedule {
    return this.faultAt(this.#at, expected, advice)
  }

  faultAt(at: number, expected: string, advice?: string): InvalidSchedule {
    const found = /^(?:[-,;]|[^\s,;]{1,20})/.exec(this.#text.slice(at))?.[0]
    const message = `at ${at + 1}: expected ${expected}, found ${found ? `'${found}'` : 'the end'}`
    return advice
      ? new InvalidSchedule(`${message}: ${advice}`, at + 1, expected)
      : new Unclear(message, at + 1, expected)
  }

  #advance(length: number): void {
    this.#at += length
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1
  }
}
