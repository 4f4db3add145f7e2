import type { Instant } from '../../process/clock.ts'
import type { Busy } from '../companions/busy.ts'
import type { ScalingRules } from '../autoscaling/keda.ts'
import type { Released } from './released.ts'
import type { Workload } from '../workload/workload.ts'
import type { Decision } from './decision.ts'
import type { OrderWait } from './order.ts'

/** The inputs of decisions beside the workload and the time. */
export interface Rules extends ScalingRules {
  /** The wait of a move by its order; undefined: none, or nobody computes it. */
  readonly waitOf?: (workload: Workload, decision: Decision, now: Instant) => OrderWait | undefined
  /** The first thing beside it that its sleep would disturb; undefined: nothing. */
  readonly busyBeside?: (workload: Workload) => Busy | undefined
  /** Whether an entry of `owners` is for its controller; undefined: there are none, or nobody lists workloads. */
  readonly pausesOwnerOf?: (workload: Workload) => boolean
  /** Why what stands beside it may not be paused while it sleeps; undefined: nothing is known to be wrong. */
  readonly faultBeside?: (workload: Workload) => string | undefined
  /** Why traffic cannot wake it though it may; undefined: nothing is known to be wrong, as on every replica but the leader. */
  readonly trafficFaultOf?: (workload: Workload) => string | undefined
  /** Accounts beside the known autoscalers that a pin does not stop, by name. */
  readonly exemptUsers?: readonly string[]
  /** The person who released the cluster, so that no decision is carried out; undefined: nobody did, or nobody knows. */
  readonly released?: () => Released | undefined
}
