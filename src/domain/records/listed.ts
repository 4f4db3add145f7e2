import type { Rules } from '../deciding/rules.ts'
import { readWorkload } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import type { Workload } from '../workload/workload.ts'

/**
 * Whether lists show a workload, and so requests for many reach it: one without a controller; and of the others, which
 * their controller scales, those that are managed, asleep or held, and those whose owner is paused beside them. A
 * ReplicaSet is managed by way of its controller alone.
 */
export function isListed(workload: Workload, rules: Rules): boolean {
  if (!workload.owner) return true
  if (workload.kind === 'replicasets') return false
  return rules.pausesOwnerOf?.(workload) === true || isTouched(workload, rules)
}

/** A broken state, or an `enabled` that is neither true nor false, is listed so that somebody mends it. */
function isTouched(workload: Workload, rules: Rules): boolean {
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return true
  const { enabled, state } = reading
  return enabled !== false || state.asleep || state.pin !== undefined || state.override !== undefined
}
