import type { Policy } from './policy.ts'
import type { Schedule } from './schedule/schedule.ts'

/** What decisions rest on beside the workload and the time. */
export interface Rules {
  readonly policy: Policy
  /** Equal text and zone give the same object. Throws InvalidSchedule. */
  readonly compile: (text: string, zone: string) => Schedule
}
