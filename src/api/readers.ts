import { InvalidSchedule, parseSchedule, timezoneFault } from '../domain/schedule/syntax.ts'
import { InvalidLabelSelector, parseLabelSelector } from '../domain/label-selector.ts'

/** Says what is wrong with a text; undefined: nothing. */
type Judge = (text: string) => string | undefined

/** What the document's schemas cannot judge by a pattern, by the name that they give it. */
export const READERS: Readonly<Record<string, Judge>> = {
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
