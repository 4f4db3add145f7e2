import type { Instant } from '../../service/process/clock.ts'
import { decide } from '../deciding/decide.ts'
import { carryOut } from '../deciding/operation.ts'
import { Situation } from '../deciding/situation.ts'
import type { Reading } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'

/** What a request's handler is given: the workload, who asks, when, and the rules. */
export interface Context {
  readonly reading: Reading
  readonly by: string
  readonly now: Instant
  readonly rules: Rules
  /** Of an annotation, whose write cannot write the status: its text. */
  readonly written: string | undefined
}

/** What a request makes of a workload; the same reading means that nothing changes. */
export interface Outcome {
  readonly target: Reading
  /** What was done, or why nothing was; the reason for the present state follows it. */
  readonly done: string
  /** The controller is to carry it out: its write cannot. */
  readonly pending?: true
}

/** Carries out, in the same patch, what the rules decide after a request; what it cannot, the controller does. */
export function follow(reading: Reading, now: Instant, rules: Rules, written?: string): Reading {
  const situation = new Situation(reading, now, rules)
  const target = carryOut(situation, decide(situation))
  return canWrite(reading, target, written) ? target : reading
}

/** Whether the request's own write can make `target`: that of an annotation cannot write a CronJob's status. */
export function canWrite(reading: Reading, target: Reading, written: string | undefined): boolean {
  return written === undefined || target.workload.lastScheduleTime === reading.workload.lastScheduleTime
}
