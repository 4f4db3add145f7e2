import fc from 'fast-check'
import type { Instant } from '../../src/process/clock.ts'
import { ANNOTATION, type AnnotationName } from '../../src/domain/workload/workload.ts'
import { MINUTE } from '../support/rules.ts'
import { MOST_ASLEEP } from './counts.ts'
import { scheduleOf, WINDOW, type WindowAround } from './windows.ts'

/** People's settings, on a workload or on its Namespace; null removes one, an empty text means none. */
export interface Written {
  readonly enabled?: string | null | undefined
  readonly schedule?: WindowAround | string | null | undefined
  readonly timezone?: string | null | undefined
  readonly calendar?: string | null | undefined
  readonly autoWake?: string | null | undefined
  readonly deployWakes?: string | null | undefined
  readonly asleepReplicas?: string | null | undefined
  /** A number: minutes from now. */
  readonly awakeUntil?: number | string | null | undefined
}

/** Mostly valid values, and most often none. */
export const WRITTEN: fc.Arbitrary<Written> = fc.record({
  enabled: sometimes(2, fc.constantFrom('true', 'true', 'true', 'false', 'false', '', 'yes', null)),
  schedule: sometimes(
    2,
    fc.oneof({ weight: 5, arbitrary: WINDOW }, { weight: 2, arbitrary: fc.constantFrom('', '8-18', null) }),
  ),
  timezone: sometimes(8, fc.constantFrom('Asia/Tokyo', 'UTC', '', 'Mars/Base', null)),
  calendar: sometimes(6, fc.constantFrom('thirds', 'halves,thirds', 'nobodys', '', null)),
  autoWake: sometimes(5, fc.constantFrom('false', 'true', '', 'no', null)),
  deployWakes: sometimes(5, fc.constantFrom('true', 'true', 'false', '', null)),
  asleepReplicas: sometimes(4, fc.constantFrom('0', '1', '2', String(MOST_ASLEEP), '', 'one', null)),
  awakeUntil: sometimes(
    5,
    fc.oneof(fc.integer({ min: -30, max: 90 }), fc.constantFrom('', 'tomorrow', null)),
  ),
})

/** One time in `often`. */
function sometimes<T>(often: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 1, arbitrary: value }, { weight: often - 1, arbitrary: fc.constant(undefined) })
}

/** The annotations that say so. */
export function annotationsOf(written: Written, now: Instant): Record<string, string | null> {
  const { schedule, awakeUntil, ...others } = written
  const texts: Partial<Record<AnnotationName, string | null | undefined>> = {
    ...others,
    schedule: typeof schedule === 'object' && schedule ? scheduleOf(schedule, now) : schedule,
    awakeUntil:
      typeof awakeUntil === 'number' ? new Date(now + awakeUntil * MINUTE).toISOString() : awakeUntil,
  }
  const entries = Object.entries(texts).filter(([, text]) => text !== undefined)
  return Object.fromEntries(entries.map(([name, text]) => [ANNOTATION[name as AnnotationName], text ?? null]))
}
