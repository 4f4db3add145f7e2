import type { StatusRecord } from '../domain/records/record.ts'

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

/** The state by which lists are filtered: one workload has one. */
export function stateOf(record: StatusRecord): State {
  if (isBroken(record)) return 'invalid'
  if (record.late) return 'late'
  if (record.held_by !== null) return record.held_by
  if (!record.enabled) return isUnknown(record) ? 'unknown' : 'unmanaged'
  return record.is_snoozed ? 'asleep' : 'awake'
}

/** The state in words: `Asleep`, `Waking`, `Pinned, asleep`, `Late, pinned`. */
export function stateText(record: StatusRecord): string {
  const { held_by: holder, is_snoozed: asleep, operation_in_progress: isMoving } = record
  const state = stateOf(record)
  if (state === holder) return `${STATES[state]}, ${asleep ? 'asleep' : 'awake'}`
  const text = isMoving ? (asleep ? 'Falling asleep' : 'Waking') : STATES[state]
  return state === 'late' && holder !== null ? `${text}, ${STATES[holder].toLowerCase()}` : text
}

type Reasoned = Pick<StatusRecord, 'reason_code'>

/** Whether somebody damaged the state that Dormouse keeps on it. */
export function isBroken({ reason_code: code }: Reasoned): boolean {
  return code === 'invalid_state'
}

/** Whether it is unknown here whether Dormouse manages it: the settings that may enable it cannot be read. */
export function isUnknown({ reason_code: code }: Reasoned): boolean {
  return code === 'unknown'
}

/** Whether somebody released the whole cluster from Dormouse, so that nothing is automatic. */
export function isReleased({ reason_code: code }: Reasoned): boolean {
  return code === 'released'
}

/** Whether it may have hours that cannot be read here, so that nobody knows here what they bring next. */
export function hasUnknownHours({ reason_values: values }: Pick<StatusRecord, 'reason_values'>): boolean {
  return values['hours_unknown'] !== undefined
}

/** Whether somebody should look at it: its pods came too late or not at all, or it was switched too often. */
export function isTroubled(record: StatusRecord): boolean {
  const { held_by: holder, late, operation_history: history } = record
  if (late || holder === 'backoff') return true
  const { is_snoozed, ready_replicas, current_replicas } = record
  return history[0]?.result === 'failed' && !is_snoozed && ready_replicas < current_replicas
}
