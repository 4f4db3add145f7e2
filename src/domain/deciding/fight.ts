import type { Instant } from '../../service/process/clock.ts'
import { afterFight } from './backoff.ts'
import type { Rules } from './rules.ts'
import type { Policy } from '../workload/settings-rules.ts'
import type { Backoff, State } from '../workload/state.ts'
import type { Reading } from '../workload/reading.ts'
import { counted } from '../text.ts'
import { isRunning, type Workload } from '../workload/workload.ts'
import { heldByKeda } from '../autoscaling/scalers.ts'
import { isScaledByKeda } from '../workload/reading.ts'

/** Field managers: the HPA acts from the controller manager; KEDA's operator is named after its binary. */
const AUTOSCALERS: ReadonlyMap<string, string> = new Map([
  ['kube-controller-manager', 'a HorizontalPodAutoscaler'],
  ['keda', "KEDA's operator"],
  ['keda-operator', "KEDA's operator"],
])

/** The autoscaler that set its count, as texts name it; undefined: it was not set by one. */
export function autoscalerOf({ replicasManager }: Workload): string | undefined {
  return replicasManager?.subresource === 'scale' ? AUTOSCALERS.get(replicasManager.manager) : undefined
}

/**
 * What an autoscaler that wakes a sleeper again has done, as texts tell it; undefined: none did. A ScaledObject is paused
 * instead, so whatever its operator still does ends by itself.
 */
export function fightOf(workload: Workload, rules: Rules): string | undefined {
  const autoscaler = autoscalerOf(workload)
  if (autoscaler === undefined || isScaledByKeda(workload, rules)) return undefined
  return `${autoscaler} scaled it to ${counted(workload.replicas, 'replica')} again although it is asleep`
}

/**
 * The backoff in which a sleeper rests, awake, that an autoscaler has woken again: once it is put back to sleep at once,
 * and then after each backoff. undefined: it is to be put back now.
 */
export function restFromFight(state: State, now: Instant, policy: Policy): Backoff | undefined {
  const [newest] = state.history
  const isRepair = newest?.type === 'snooze' && (newest.trigger === 'recovery' || newest.trigger === 'pin')
  if (!isRepair || newest.result === 'failed') return undefined
  const { backoff } = state
  const hasRested = backoff?.cause === 'flapping' && backoff.until > newest.at
  return hasRested ? undefined : afterFight(state, now, policy)
}

/** How an autoscaler keeps a schedule from being carried out. */
export type AutoscalerConflict = 'fight' | 'held_by_keda'

/** Of a managed workload: an autoscaler has woken it although it is asleep, or others have paused KEDA; undefined: neither. */
export function autoscalerConflict(reading: Reading, rules: Rules): AutoscalerConflict | undefined {
  const { workload, state } = reading
  if (heldByKeda(workload, rules) !== undefined) return 'held_by_keda'
  return state.asleep && isRunning(workload) && fightOf(workload, rules) !== undefined ? 'fight' : undefined
}
