import { replicaTime, SAVED_OVER } from '../../domain/records/replica-time.ts'
import type { StatusRecord, TransitionRecord } from '../../domain/records/record.ts'

/** `cluster`: the cluster's name, where the page shows several. */
export type Workload = StatusRecord & { readonly cluster?: string }
export type Transition = TransitionRecord

/** The fields that identify a workload. */
export type Identity = Pick<Workload, 'cluster' | 'namespace' | 'type' | 'name'>

/** Its form in the page's address: `shop/deployment/web`, behind its cluster where there are several. */
export function keyOf({ cluster, namespace, type, name }: Identity): string {
  return `${cluster === undefined ? '' : `${cluster}/`}${namespace}/${type}/${name}`
}

/** The states that a person sees; the first that applies counts. */
export const STATES = {
  asleep: 'Asleep',
  awake: 'Awake',
  late: 'Late',
  pin: 'Pinned',
  override: 'Schedule off',
  backoff: 'Waiting',
  unmanaged: 'Not managed',
  unknown: 'Unknown',
  invalid: 'Needs repair',
} as const

export type State = keyof typeof STATES

/** The choices of the list; the first, of all that Dormouse manages or holds, is the default. */
export const FILTERS = { managed: 'Managed', ...STATES, all: 'All' } as const

export type Filter = keyof typeof FILTERS

/** Whether Dormouse leaves it alone, as far as is known. */
export function isLeftAlone(state: State): boolean {
  return state === 'unmanaged' || state === 'unknown'
}

/** The state by which lists are filtered: one workload has one. */
export function stateOf(workload: Workload): State {
  if (isBroken(workload)) return 'invalid'
  if (workload.late) return 'late'
  if (workload.held_by !== null) return workload.held_by
  if (!workload.enabled) return isUnknown(workload) ? 'unknown' : 'unmanaged'
  return workload.is_snoozed ? 'asleep' : 'awake'
}

/** Whether somebody damaged the state that Dormouse keeps on it. */
export function isBroken({ reason_code: code }: Workload): boolean {
  return code === 'invalid_state'
}

/** Over a kubeconfig: the settings that may enable it cannot be read. */
function isUnknown({ reason_code: code }: Workload): boolean {
  return code === 'unknown'
}

/** Whether somebody released the whole cluster from Dormouse, so that nothing is automatic. */
export function isReleased({ reason_code: code }: Workload): boolean {
  return code === 'released'
}

/** Over a kubeconfig: whether it may have hours that are not known here. */
export function hasUnknownHours({ reason_values: values }: Pick<Workload, 'reason_values'>): boolean {
  return values['hours_unknown'] !== undefined
}

type Counted = Pick<Workload, 'is_snoozed' | 'last_replicas' | 'current_replicas' | 'ready_replicas'>

/** Its count in words; asleep, with the one that it keeps. */
export function replicasText(workload: Counted): string {
  const { is_snoozed, last_replicas: kept, current_replicas: current, ready_replicas: ready } = workload
  if (!is_snoozed) return `${current}, ${ready} ready`
  return kept === 1 ? '0; 1 is kept and comes back' : `0; ${kept} are kept and come back`
}

/** In place of the next change, where none is known. */
export function noNextText(workload: Pick<Workload, 'enabled' | 'reason_values'>): string {
  if (!workload.enabled) return '–'
  return hasUnknownHours(workload) ? 'not known here' : 'nothing planned'
}

/** Whether somebody should look at it: its pods came too late or not at all, or it was switched too often. */
export function isTroubled(workload: Workload): boolean {
  const { held_by: holder, late, operation_history: history } = workload
  if (late || holder === 'backoff') return true
  const { is_snoozed, ready_replicas, current_replicas } = workload
  return history[0]?.result === 'failed' && !is_snoozed && ready_replicas < current_replicas
}

/** The words of the cluster about pods that are missing; undefined: none is, or it says nothing. */
export function missingPods({ trouble }: Partial<Pick<Workload, 'trouble'>>): string | undefined {
  if (!trouble) return undefined
  return trouble.message === '' ? trouble.code : `${trouble.message} (${trouble.code})`
}

/**
 * The command that says what the pods of a late workload say, where the cluster says nothing, or only that a deadline
 * passed; undefined: there is nothing to ask.
 */
export function podsCommand(workload: Workload): string | undefined {
  const { late, trouble, cluster, namespace, type, name } = workload
  if (!late || (trouble && trouble.code !== 'ProgressDeadlineExceeded')) return undefined
  const where = cluster === undefined ? '' : ` --contexts ${asShellWord(cluster)}`
  return `kubectl dormouse why ${type}/${name} -n ${namespace}${where}`
}

/** A cluster may be called anything. */
function asShellWord(text: string): string {
  return /^[\w.:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Replicas that sleep saved in the last week, multiplied by the hours asleep, as far as the history reaches. */
export function savedReplicaHours(workload: Workload, now: number): number {
  const { snoozed_at: since, is_snoozed: asleep, last_replicas: kept, operation_history } = workload
  // A suspended CronJob saves nothing that could be measured.
  if (workload.type === 'cronjob') return 0
  const history = operation_history.map(({ type, timestamp, replicas, result }) => {
    return { type, at: Date.parse(timestamp), replicas, result }
  })
  const sleep =
    asleep && since !== null
      ? { since: Date.parse(since), replicas: workload.current_replicas === 0 ? kept : 0 }
      : undefined
  return replicaTime(history, sleep, { from: now - SAVED_OVER, now }) / 3_600_000
}
