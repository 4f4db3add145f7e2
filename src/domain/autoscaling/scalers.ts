import type { Rules } from '../workload/rules.ts'
import type { Workload } from '../workload/workload.ts'
import { pausedByOthers, type ScaledObject } from './scaled-object.ts'

/** The ScaledObjects that scale a workload: one, as KEDA wants it; none where there is no KEDA. */
function scalersOf(workload: Workload, rules: Rules): readonly ScaledObject[] {
  return rules.scaledObjects?.(workload).filter(({ deleting }) => !deleting) ?? []
}

/** Whether KEDA scales it. */
export function isScaledByKeda(workload: Workload, rules: Rules): boolean {
  return scalersOf(workload, rules).length > 0
}

/** Why others hold its count by KEDA's pause, as reasons tell it; undefined: they do not. */
export function heldByKeda(workload: Workload, rules: Rules): string | undefined {
  for (const scaler of scalersOf(workload, rules)) {
    const paused = pausedByOthers(scaler)
    if (paused !== undefined) return `held by KEDA: ${paused}`
  }
  return undefined
}

/** Whether KEDA alone decides the count that it wakes to, which may be 0: it undoes any other within a second. */
export function kedaDecides(workload: Workload, rules: Rules): boolean {
  const scalers = scalersOf(workload, rules)
  return (
    scalers.length > 0 &&
    scalers.every((scaler) => scaler.minReplicaCount === 0 && pausedByOthers(scaler) === undefined)
  )
}
