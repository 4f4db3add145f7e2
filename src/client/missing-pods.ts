import { podsSayMore } from '../words/pods.ts'
import type { Dormouse, Found } from './ports.ts'

/**
 * The workload with what its pods say, where they say more than the workload's conditions. Asks once, and only where pods
 * are missing; where it may not, or nobody answers, all stays as it is.
 */
export async function withPodTrouble<Each extends Found>(
  dormouse: Pick<Dormouse, 'podTrouble'>,
  found: Each,
): Promise<Each> {
  const { kind, record } = found
  const { namespace, name } = record
  const isMissing = !record.is_snoozed && record.ready_replicas < record.current_replicas
  // No pod can say what keeps pods from being made.
  if (!isMissing || !podsSayMore(record)) return found
  const said = await dormouse.podTrouble({ kind, namespace, name }).catch(() => undefined)
  return said ? { ...found, record: { ...record, trouble: said } } : found
}
