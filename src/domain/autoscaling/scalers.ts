import type { ReadingRules } from '../workload/settings-rules.ts'
import type { Workload, WorkloadKey } from '../workload/workload.ts'
import { pausedByOthers, type ScaledObject } from './scaled-object.ts'

/** What autoscaling depends on beside the workload. */
export interface ScalingRules extends ReadingRules {
  /** KEDA's ScaledObjects that name it as their target; undefined: nobody looks for them. */
  readonly scaledObjects?: (workload: WorkloadKey) => readonly ScaledObject[]
  /** The workload that scales this one in its place, as a Rollout does with a Deployment; undefined: none is known. */
  readonly scalerOf?: (workload: WorkloadKey) => WorkloadKey | undefined
}

/** The ScaledObjects that scale a workload: one, as KEDA wants it; none where there is no KEDA. */
function scalersOf(workload: Workload, rules: ScalingRules): readonly ScaledObject[] {
  return rules.scaledObjects?.(workload).filter(({ deleting }) => !deleting) ?? []
}

/** Why others hold its count by KEDA's pause, as reasons tell it; undefined: they do not. */
export function heldByKeda(workload: Workload, rules: ScalingRules): string | undefined {
  for (const scaler of scalersOf(workload, rules)) {
    const paused = pausedByOthers(scaler)
    if (paused !== undefined) return `held by KEDA: ${paused}`
  }
  return undefined
}

/** Whether KEDA alone decides the count that it wakes to, which may be 0: it undoes any other within a second. */
export function kedaDecides(workload: Workload, rules: ScalingRules): boolean {
  const scalers = scalersOf(workload, rules)
  return (
    scalers.length > 0 &&
    scalers.every((scaler) => scaler.minReplicaCount === 0 && pausedByOthers(scaler) === undefined)
  )
}
