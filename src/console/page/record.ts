import type { StatusRecord, TransitionRecord } from '../../domain/records/record.ts'

export type Workload = StatusRecord
export type Transition = TransitionRecord

/** The fields that identify a workload. */
export type Identity = Pick<Workload, 'namespace' | 'type' | 'name'>

/** Its form in the page's address: `shop/deployment/web`. */
export function keyOf({ namespace, type, name }: Identity): string {
  return `${namespace}/${type}/${name}`
}

/** The states that a person sees; the first that applies counts. */
export const STATES = {
  asleep: 'Asleep',
  awake: 'Awake',
  pin: 'Pinned',
  override: 'Schedule off',
  backoff: 'Waiting',
  unmanaged: 'Not managed',
  unknown: 'Unknown',
  invalid: 'Needs repair',
} as const

export type State = keyof typeof STATES

/** The state by which lists are filtered: one workload has one. */
export function stateOf(workload: Workload): State {
  if (isBroken(workload)) return 'invalid'
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

/** Asleep rather than awake, whatever the reason. */
export function isAsleep(workload: Workload): boolean {
  return workload.is_snoozed
}

const WEEK = 7 * 24 * 3_600_000

/** Replicas that sleep saved in the last week, multiplied by the hours asleep, as far as the history reaches. */
export function savedReplicaHours(workload: Workload, now: number): number {
  const from = now - WEEK
  const hours = (since: number, until: number) => Math.max(0, until - Math.max(since, from)) / 3_600_000
  let saved = 0
  let asleepSince: number | undefined
  for (const { type, timestamp, replicas } of workload.operation_history.toReversed()) {
    const at = Date.parse(timestamp)
    if (type === 'wake' && asleepSince !== undefined) saved += replicas * hours(asleepSince, at)
    asleepSince = type === 'snooze' ? at : undefined
  }
  if (workload.is_snoozed && workload.snoozed_at !== null)
    saved += workload.last_replicas * hours(Date.parse(workload.snoozed_at), now)
  return saved
}
