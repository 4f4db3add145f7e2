import type { StatusRecord } from '../domain/records/record.ts'
import { FOLLOWERS, type Follower } from '../domain/sleeping/follower.ts'
import { counted } from '../domain/text.ts'
import { isKnown } from '../domain/workload/trigger.ts'
import { troubleText } from '../domain/workload/trouble.ts'
import { shellWord } from './text.ts'

type Following = Pick<StatusRecord, 'type'> & Partial<Pick<StatusRecord, 'waits_for'>>
type Counted = Following &
  Pick<StatusRecord, 'is_snoozed' | 'last_replicas' | 'current_replicas' | 'ready_replicas'>
type Moving = Counted & Pick<StatusRecord, 'operation_in_progress'>

/** The one that its moves wait for. A former service tells nothing, and a later one may tell of others. */
export function followerOf({ waits_for: told, type }: Following): Follower {
  if (told !== undefined && isKnown(FOLLOWERS, told)) return told
  return type === 'cronjob' ? 'nobody' : 'pods'
}

/** Its progress in a few words: `none of 3 replicas runs`, `its operator has not followed yet`; undefined: nothing to say. */
export function progressText(record: Moving): string | undefined {
  const { is_snoozed: asleep, ready_replicas: ready, current_replicas: current, last_replicas: last } = record
  const follower = followerOf(record)
  if (follower !== 'pods') {
    const isAwaited = follower === 'operator' && (record.operation_in_progress || ready < current)
    return isAwaited ? 'its operator has not followed yet' : undefined
  }
  if (!asleep) return `${ready} of ${counted(current, 'replica')} ready`
  if (last === 0 && ready === 0) return 'it had 0 replicas'
  return `${ready === 0 ? 'none' : ready} of ${counted(last, 'replica')} runs`
}

/** Its count in words; asleep, with the one that it keeps; undefined: its counts are of no pods. */
export function replicasText(record: Counted): string | undefined {
  if (followerOf(record) !== 'pods') return undefined
  const { is_snoozed, last_replicas: kept, current_replicas: current, ready_replicas: ready } = record
  if (!is_snoozed) return `${current}, ${ready} ready`
  return `${current}; ${kept === 1 ? '1 is kept and comes back' : `${kept} are kept and come back`}`
}

/** Why pods are missing, as the cluster says it; undefined: none is, or nothing says why. A former service tells nothing. */
export function missingPods({ trouble }: Partial<Pick<StatusRecord, 'trouble'>>): string | undefined {
  return trouble ? troubleText(trouble) : undefined
}

/** The words before what `missingPods` says. */
export function missingWhat(record: Following): string {
  return followerOf(record) === 'operator' ? 'it is not ready' : 'pods are missing'
}

/** Whether only its pods can say more: its conditions say nothing, or that a deadline has passed. */
export function podsSayMore(record: Following & Partial<Pick<StatusRecord, 'trouble'>>): boolean {
  const { trouble } = record
  return followerOf(record) === 'pods' && (!trouble || trouble.code === 'ProgressDeadlineExceeded')
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
