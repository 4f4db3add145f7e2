import { OPERATIONS, type Action } from '../requests/operations.ts'
import type { StatusRecord } from './record.ts'

/** The answer about a workload that a request for many leaves out. */
export const KEPT_AT_ZERO = 'kept at 0 by its owner, so it is left out: name it to wake it'

/** Whether a request for many leaves out what its owner keeps at 0; by its own name a request wakes it. */
export function leavesOut(action: Action): boolean {
  return OPERATIONS[action].moves === 'awake'
}

/**
 * Whether its owner keeps it at 0: Dormouse did not put it to sleep, or found it at 0 then. So are retired releases, and
 * the old half of a blue-green deployment.
 */
export function isKeptAtZero(record: StatusRecord): boolean {
  const { is_snoozed: asleep, last_replicas: last, type, reason_code: code } = record
  return asleep ? last === 0 && type !== 'daemonset' : code === 'scaled_to_zero'
}
