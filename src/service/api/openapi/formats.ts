import { InvalidLabelSelector, parseLabelSelector } from '../../../domain/policy/label-selector.ts'
import {
  aDuration,
  durationIn,
  REQUEST_BOUNDS,
  unitAdvice,
  type Bounds,
} from '../../../domain/schedule/duration.ts'
import { InvalidSchedule, parseSchedule, timezoneFault } from '../../../domain/schedule/syntax.ts'

/** How long an answer may wait for the pods, in milliseconds. */
export const WAIT_BOUNDS: Bounds = [1000, 300_000]

/** Says what is wrong with a text; undefined: nothing. */
type Reader = (text: string) => string | undefined

/** Checks that no pattern can express, by the name that the document's schemas give as `x-read-as`. */
export const READERS: Readonly<Record<string, Reader>> = {
  schedule: (text) => (text.trim() === '' ? undefined : faultOf(() => parseSchedule(text), InvalidSchedule)),
  timezone: (text) => (text === '' ? undefined : timezoneFault(text)),
  limit: (text) => duration(text, REQUEST_BOUNDS),
  limitOrNone: (text) => (text === '' ? undefined : duration(text, REQUEST_BOUNDS)),
  wait: (text) => duration(text, WAIT_BOUNDS),
  labelSelector: (text) => faultOf(() => parseLabelSelector(text), InvalidLabelSelector),
}

function duration(text: string, bounds: Bounds): string | undefined {
  return durationIn(text, bounds) === undefined
    ? `must be ${aDuration(bounds)}${unitAdvice(text)}`
    : undefined
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
