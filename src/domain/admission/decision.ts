import type { Explanation } from '../workload/explanation.ts'
import type { PatchOperation } from '../json-patch.ts'
import { reviewPatch } from '../workload/patch.ts'
import type { Change } from '../workload/change.ts'
import type { Workload } from '../workload/workload.ts'

/** Why a review was answered as it was: the label `reason` of metrics and logs. */
export type AdmissionReason =
  | 'exempt'
  | 'not_managed'
  | 'no_count_change'
  | 'free'
  | 'manual_wake'
  | 'pinned'
  | 'overridden'
  | 'held'
  | 'absorbed'
  | 'restored'
  | 'invalid_annotation'
  | 'unreadable'
  | 'stripped'
  | 'other_dormouse'
  | 'requested'
  | 'request_refused'
  | 'request_ignored'
  | 'probe'
  | 'too_large'
  | 'too_many'
  | 'too_late'
  | 'unexpected'
  | 'unchecked'
  | 'failed'
  | 'unknown'

interface Explained {
  readonly reason: AdmissionReason
  /** kubectl prints them. */
  readonly warnings: readonly string[]
}

export interface Denial extends Explained {
  readonly type: 'denied'
  readonly message: string
  /** For programs. */
  readonly explanation?: Explanation | undefined
}

/** The answer to an admission review. Only the functions below make one. */
export type AdmissionDecision =
  | (Explained & { readonly type: 'allowed' })
  | Denial
  | (Explained & {
      readonly type: 'patched'
      /** Relative to the object under review. */
      readonly change: Change
      readonly operations: readonly PatchOperation[]
    })

export function allow(reason: AdmissionReason, warnings: readonly string[] = []): AdmissionDecision {
  return { type: 'allowed', reason, warnings }
}

export function deny(
  reason: AdmissionReason,
  message: string,
  warnings: readonly string[] = [],
  explanation?: Explanation,
): Denial {
  return { type: 'denied', reason, message, warnings, explanation }
}

/** Allows the object under review with `change` applied, or unchanged if there is nothing to patch. */
export function patched(
  reason: AdmissionReason,
  object: Workload,
  change: Change | undefined,
  warnings: readonly string[] = [],
): AdmissionDecision {
  const operations = change ? reviewPatch(object, change) : []
  if (!change || operations.length === 0) return allow(reason, warnings)
  return { type: 'patched', reason, change, operations, warnings }
}

export function withWarnings(decision: AdmissionDecision, warnings: readonly string[]): AdmissionDecision {
  return { ...decision, warnings: [...decision.warnings, ...warnings] }
}
