import type { StatusRecord } from '../domain/records/record.ts'
import { troubleText } from '../domain/workload/trouble.ts'
import { oneLine } from './safe-output.ts'
import type { Dormouse, Found } from './ports.ts'

/** Why pods are missing, on one line; undefined: none is, or nothing says why. A former service tells nothing. */
export function missingPodsText({ trouble }: Partial<Pick<StatusRecord, 'trouble'>>): string | undefined {
  return trouble ? oneLine(troubleText(trouble)) : undefined
}

/**
 * The same with what the pods say, where they say more than the workload's conditions. Asks once, and only where pods
 * are missing; where it may not, or nobody answers, all stays as it is.
 */
export async function withPodTrouble<Each extends Found>(
  dormouse: Pick<Dormouse, 'podTrouble'>,
  found: Each,
): Promise<Each> {
  const { kind, record } = found
  const { namespace, name } = record
  const { trouble }: Partial<StatusRecord> = record
  const isMissing = !record.is_snoozed && record.ready_replicas < record.current_replicas
  // No pod can say what keeps pods from being made; of a deadline that passed they say why.
  if (!isMissing || (trouble && trouble.code !== 'ProgressDeadlineExceeded')) return found
  const said = await dormouse.podTrouble({ kind, namespace, name }).catch(() => undefined)
  return said ? { ...found, record: { ...record, trouble: said } } : found
}
