import fc from 'fast-check'
import type { Instant } from '../../src/process/clock.ts'
import { HOUR, MINUTE } from '../support/rules.ts'

/** A window around the present: its distance in minutes to the beginning, and its length. */
export interface WindowAround {
  readonly begins: number
  readonly minutes: number
}
export const WINDOW: fc.Arbitrary<WindowAround> = fc.record({
  begins: fc.integer({ min: -90, max: 20 }),
  minutes: fc.integer({ min: 2, max: 120 }),
})

/** As a schedule in UTC, every day. */
export function scheduleOf({ begins, minutes }: WindowAround, now: Instant): string {
  const from = now + begins * MINUTE
  return `${wallClock(from)}-${wallClock(from + minutes * MINUTE)}`
}

function wallClock(instant: Instant): string {
  const minute = Math.floor((instant % (24 * HOUR)) / MINUTE)
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
}
