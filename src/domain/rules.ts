import type { Schedule } from './schedule/schedule.ts'
import type { WorkloadKey } from './workload.ts'

/** The service's settings that the rules depend on; durations in milliseconds. */
export interface Policy {
  readonly timezone: string
  readonly operationTimeout: number
  readonly newWorkloadGrace: number
  /** null: until the next edge. */
  readonly wakeHold: number | null
  readonly backoff: {
    readonly maxOperations: number
    readonly window: number
    readonly base: number
    readonly max: number
  }
}

/** What decisions depend on beside the workload and the time. */
export interface Rules {
  readonly policy: Policy
  /** Equal text and zone give the same object. Throws InvalidSchedule. */
  readonly compile: (text: string, zone: string) => Schedule
  /** The workload that scales this one in its place, as a Rollout does with a Deployment; undefined: none is known. */
  readonly scalerOf?: (workload: WorkloadKey) => WorkloadKey | undefined
}
