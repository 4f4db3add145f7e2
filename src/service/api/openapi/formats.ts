import type { Reader } from '../../../domain/json-schema.ts'
import { InvalidLabelSelector, parseLabelSelector } from '../../../domain/policy/label-selector.ts'
import {
  aDuration,
  durationIn,
  REQUEST_BOUNDS,
  unitAdvice,
  type Bounds,
} from '../../../domain/schedule/duration.ts'
import { InvalidSchedule, parseSchedule, timezoneFault } from '../../../domain/schedule/syntax.ts'
import { faultOf } from '../../../domain/text.ts'

/** How long an answer may wait for the pods, in milliseconds. */
export const WAIT_BOUNDS: Bounds = [1000, 300_000]

/** Checks that no pattern can express, by the name that the document's schemas give as `READ_AS`: they accept more than an `enum` beside it, and replace a `format`. */
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
