import { allow, deny, type AdmissionDecision } from '../../domain/admission/decision.ts'
import { about } from '../../domain/admission/messages.ts'
import type { Workload } from '../../domain/workload/workload.ts'

/** Whether a review may be forged: only those who can read a workload know the uid of our copy. */
export function isStranger(
  uid: string | undefined,
  copy: Workload | undefined,
  { isAuthenticated }: { readonly isAuthenticated: boolean },
): boolean {
  return !isAuthenticated && copy?.uid !== uid
}

/**
 * The decision on a stranger's write without details that the write itself does not have: no warning, one message for
 * all refusals, and no state of ours, whose times reveal schedules. An API server that is ahead of the informer gets
 * the same; its user tries again.
 */
export function withoutDetails(decision: AdmissionDecision, workload: Workload): AdmissionDecision {
  const { type, reason } = decision
  const refused = () =>
    deny(reason, about(workload, 'is not known to Dormouse yet, and this write was refused: try again'))
  if (type === 'allowed') return allow(reason)
  if (type === 'denied') return refused()
  const { state } = decision.change.annotations
  const isMade = state !== undefined && state !== null && state !== workload.annotations.state
  return isMade ? refused() : { ...decision, warnings: [] }
}
