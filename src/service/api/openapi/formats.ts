import { InvalidLabelSelector, parseLabelSelector } from '../../../domain/policy/label-selector.ts'
import { InvalidSchedule, parseSchedule, timezoneFault } from '../../../domain/schedule/syntax.ts'

/** `wait`: whole seconds or minutes, 1s to 5m. */
export const WAIT_PATTERN = '(?:[1-9][0-9]?|[12][0-9]{2}|300)s|[1-5]m'

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
