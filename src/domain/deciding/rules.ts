import type { Instant } from '../../service/process/clock.ts'
import type { ScalingRules } from '../autoscaling/scalers.ts'
import type { Workload } from '../workload/workload.ts'
import type { Decision } from './decision.ts'
import type { WakeWait } from './wake-order.ts'

/** What decisions depend on beside the workload and the time. */
export interface Rules extends ScalingRules {
  /** What a wake that is decided on waits for by its order; undefined: nothing, or nobody looks for it. */
  readonly waitOf?: (workload: Workload, decision: Decision, now: Instant) => WakeWait | undefined
}
