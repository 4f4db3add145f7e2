import type { Reading } from '../workload/reading.ts'
import type { Rules } from '../workload/rules.ts'
import { isRunning } from '../workload/workload.ts'
import { fightOf } from '../deciding/fight.ts'
import { heldByKeda } from './scalers.ts'

/** How an autoscaler keeps a schedule from being carried out. */
export type AutoscalerConflict = 'fight' | 'held_by_keda'

/** Of a managed workload: an autoscaler has woken it although it is asleep, or others have paused KEDA; undefined: neither. */
export function autoscalerConflict(reading: Reading, rules: Rules): AutoscalerConflict | undefined {
  const { workload, state } = reading
  if (heldByKeda(workload, rules) !== undefined) return 'held_by_keda'
  return state.asleep && isRunning(workload) && fightOf(workload, rules) !== undefined ? 'fight' : undefined
}
