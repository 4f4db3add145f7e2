import { InvalidLabelSelector, parseLabelSelector } from '../../domain/label-selector.ts'
import { InvalidSchedule, parseSchedule, timezoneFault } from '../../domain/schedule/syntax.ts'

const UNIT = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** `for` and `duration`: whole hours or minutes, 1m to 8760h. */
export const DURATION_PATTERN =
  '(?:[1-9][0-9]{0,2}|[1-7][0-9]{3}|8[0-6][0-9]{2}|87[0-5][0-9]|8760)h' +
  '|(?:[1-9][0-9]{0,4}|[1-4][0-9]{5}|5[01][0-9]{4}|52[0-4][0-9]{3}|525[0-5][0-9]{2}|525600)m'

/** What that pattern expects, in words. */
export const A_DURATION = 'a duration such as 90m or 12h, from 1m to 8760h'

/** `wait`: whole seconds or minutes, 1s to 5m. */
export const WAIT_PATTERN = '(?:[1-9][0-9]?|[12][0-9]{2}|300)s|[1-5]m'

/** Milliseconds of a duration that matches one of the patterns, such as `90m`. @throws TypeError on any other text */
export function milliseconds(duration: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(duration) ?? []
  if (count === undefined) throw new TypeError(`not a duration: ${duration}`)
  return Number(count) * UNIT[unit as keyof typeof UNIT]
}

/** Says what is wrong with a text; undefined: nothing. */
type Reader = (text: string) => string | undefined

/** Checks that no pattern can express, by the name that the document's schemas give as `x-read-as`. */
export const READERS: Readonly<Record<string, Reader>> = {
  schedule: (text) => (text.trim() === '' ? undefined : faultOf(() => parseSchedule(text), InvalidSchedule)),
  timezone: (text) => (text === '' ? undefined : timezoneFault(text)),
  labelSelector: (text) => faultOf(() => parseLabelSelector(text), InvalidLabelSelector),
}

function faultOf(read: () => unknown, expected: new (...args: never[]) => Error): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof expected) return error.message
    throw error
  }
}
