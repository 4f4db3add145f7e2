import type { StatusRecord } from '../domain/records/record.ts'
import { troubleText } from '../domain/workload/trouble.ts'
import { shellWord } from './text.ts'

type Counted = Pick<StatusRecord, 'is_snoozed' | 'last_replicas' | 'current_replicas' | 'ready_replicas'>

/** Its count in words; asleep, with the one that it keeps. */
export function replicasText(record: Counted): string {
  const { is_snoozed, last_replicas: kept, current_replicas: current, ready_replicas: ready } = record
  if (!is_snoozed) return `${current}, ${ready} ready`
  return `${current}; ${kept === 1 ? '1 is kept and comes back' : `${kept} are kept and come back`}`
}

/** Why pods are missing, as the cluster says it; undefined: none is, or nothing says why. A former service tells nothing. */
export function missingPods({ trouble }: Partial<Pick<StatusRecord, 'trouble'>>): string | undefined {
  return trouble ? troubleText(trouble) : undefined
}

/** Whether only its pods can say more: its conditions say nothing, or that a deadline has passed. */
export function podsSayMore({ trouble }: Partial<Pick<StatusRecord, 'trouble'>>): boolean {
  return !trouble || trouble.code === 'ProgressDeadlineExceeded'
}

/**
 * The command that says what the pods of a late workload say; undefined: there is nothing to ask. `cluster`: its name,
 * where there are several.
 */
export function podsCommand(record: StatusRecord, cluster?: string): string | undefined {
  const { late, namespace, type, name } = record
  if (!late || !podsSayMore(record)) return undefined
  const where = cluster === undefined ? '' : ` --contexts ${shellWord(cluster)}`
  return `kubectl dormouse why ${type}/${name} -n ${namespace}${where}`
}
