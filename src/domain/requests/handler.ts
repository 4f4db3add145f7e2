import { decide } from '../deciding/decide.ts'
import { carryOut } from '../deciding/operation.ts'
import type { Situation } from '../deciding/situation.ts'
import type { Reading } from '../workload/reading.ts'
import type { Telling } from './telling.ts'

/** The causes of requests: somebody, or traffic. */
export type RequestTrigger = 'api' | 'traffic'

/** The inputs of a request's handler. */
export interface Context {
  readonly situation: Situation
  /** The author. */
  readonly by: string
  readonly trigger: RequestTrigger
  /** The annotation's text, for a request whose write cannot include the status. */
  readonly written: string | undefined
}

/** A request's effect on a workload; the same reading: no change. */
export interface Outcome {
  readonly target: Reading
  /** The change, or why there was none; the reason of the present state is appended. Empty: that reason says it. */
  readonly says: Telling
  /** The controller is to carry it out: its write cannot. */
  readonly pending?: true
}

/** Carries out, in the same patch, the rules' decision after a request; the controller does the remainder. */
export function follow(situation: Situation, written?: string): Reading {
  const { reading } = situation
  const target = carryOut(situation, decide(situation))
  return canWrite(reading, target, written) ? target : reading
}

/** Whether the request's own write can make `target`: that of an annotation cannot write a CronJob's status. */
export function canWrite(reading: Reading, target: Reading, written: string | undefined): boolean {
  return written === undefined || target.workload.lastScheduleTime === reading.workload.lastScheduleTime
}
