import type { ReadingRules } from '../workload/settings-rules.ts'
import type { Workload, WorkloadKey } from '../workload/workload.ts'
import type { Companion } from '../companions/companion.ts'
import { minReplicasOf, pausedByOthers } from './scaled-object.ts'

/** The inputs of autoscaling beside the workload. */
export interface ScalingRules extends ReadingRules {
  /** KEDA's ScaledObjects that name it as their target; undefined: nobody looks for them. */
  readonly scaledObjects?: (workload: WorkloadKey) => readonly Companion[]
  /** The workload that scales this one in its place, as a Rollout does with a Deployment; undefined: none is known. */
  readonly podOwnerOf?: (workload: WorkloadKey) => WorkloadKey | undefined
}

/** KEDA's effect on a workload. */
export interface Keda {
  /** Exactly one ScaledObject scales it, as KEDA requires. */
  readonly scales: boolean
  /** KEDA alone decides the count after a wake, which may be 0: it undoes any other within a second. */
  readonly decides: boolean
  /** Why others hold the count by KEDA's pause, for reasons; undefined: they do not. */
  readonly held: string | undefined
}

const NO_KEDA: Keda = { scales: false, decides: false, held: undefined }

export function kedaOf(workload: Workload, rules: ScalingRules): Keda {
  const scaledObjects = rules.scaledObjects?.(workload).filter(({ deleting }) => !deleting) ?? []
  if (scaledObjects.length === 0) return NO_KEDA
  const paused = scaledObjects.map(pausedByOthers).find((why) => why !== undefined)
  return {
    scales: true,
    decides: paused === undefined && scaledObjects.every((each) => minReplicasOf(each) === 0),
    held: paused === undefined ? undefined : `held by KEDA: ${paused}`,
  }
}
