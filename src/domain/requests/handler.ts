import type { Instant } from '../../clock.ts'
import { decide } from '../decide.ts'
import { carryOut } from '../operation.ts'
import type { Reading } from '../reading.ts'
import type { Rules } from '../rules.ts'

/** What a request's handler is given: the workload, who asks, when, and the rules. */
export interface Context {
  readonly reading: Reading
  readonly by: string
  readonly now: Instant
  readonly rules: Rules
}

/** What a request makes of a workload; the same reading means that nothing changes. */
export interface Outcome {
  readonly target: Reading
  /** What was done, or why nothing was; the reason for the present state follows it. */
  readonly done: string
}

/** Carries out, in the same patch, what the rules decide after a request. */
export function follow(reading: Reading, now: Instant, rules: Rules): Reading {
  return carryOut(reading, decide(reading, now, rules), now, rules)
}
