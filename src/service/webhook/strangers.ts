import { allow, deny, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { about } from '../../domain/admission/messages.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Workloads } from './ports.ts'

interface Deps {
  readonly workloads: Pick<Workloads, 'get'>
  /** Whether whoever sends reviews has proven to be an API server (`webhook.clientCA`). */
  readonly isAuthenticated: boolean
}

/** Whether a review may be forged: only those who can read a workload know its uid. */
export function isStranger(before: Workload, { workloads, isAuthenticated }: Deps): boolean {
  return !isAuthenticated && workloads.get(before)?.uid !== before.uid
}

/**
 * The decision on a stranger's update without anything that it does not say itself: no warning, one message for all
 * refusals, and no state of our making, whose times tell schedules. An API server that is ahead of the informer gets
 * the same: its user tries again.
 */
export function withoutDetails(decision: AdmissionDecision, before: Workload): AdmissionDecision {
  const { type, reason } = decision
  const refused = () =>
    deny(reason, about(before, 'is not known to Dormouse yet, and this write was refused: try again'))
  if (type === 'allowed') return allow(reason)
  if (type === 'denied') return refused()
  const { state } = decision.change.annotations
  const isMade = state !== undefined && state !== null && state !== before.annotations.state
  return isMade ? refused() : { ...decision, warnings: [] }
}
