import type { Rules } from '../deciding/rules.ts'
import { annotationChange, changeBetween, changed } from '../workload/change.ts'
import { withoutRequest } from '../workload/marks.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { patched, type AdmissionDecision, type AdmissionReason } from './decision.ts'
import { told, unreadableState, type Saying } from './messages.ts'
import type { Update } from './under-review.ts'

/** An update that is not denied, before it is put into a patch and into words. */
export interface Draft<Target extends Reading | Unreadable = Reading | Unreadable> {
  readonly type: 'draft'
  readonly reason: AdmissionReason
  /** The workload as it will be stored; unreadable: as it was sent, without a request. */
  readonly target: Target
  readonly says: readonly Saying[]
}

export function draft<Target extends Reading | Unreadable>(
  reason: AdmissionReason,
  target: Target,
  says: readonly Saying[] = [],
): Draft<Target> {
  return { type: 'draft', reason, target, says }
}

/** Reasons of drafts whose state is the one before, and does not know of a count or key that moved. */
const WITH_STATE_BEFORE: ReadonlySet<AdmissionReason> = new Set(['free', 'restored', 'request_ignored'])

/** A draft's workload as it is read once it is stored: with another count or key, its marks may say something else. */
export function asStored(
  { before, after }: Update,
  { reason, target }: Draft,
  rules: Rules,
): Reading | Unreadable {
  if (target instanceof Unreadable) return readWorkload(withoutRequest(after), rules)
  const { replicas, snoozeKey } = target.workload
  const hasMoved = replicas !== before.replicas || snoozeKey !== before.snoozeKey
  if (!hasMoved || !WITH_STATE_BEFORE.has(reason)) return target
  const change = changeBetween(after, target)
  return readWorkload(withoutRequest(change === undefined ? after : changed(after, change)), rules)
}

export function decisionFrom({ before, after }: Update, { reason, target, says }: Draft): AdmissionDecision {
  const isUnread = target instanceof Unreadable
  const change = isUnread
    ? { annotations: annotationChange(after, withoutRequest(after)) }
    : changeBetween(after, target)
  const unread = isUnread ? unreadableState(before, 'was not checked', target) : []
  return patched(reason, after, change, [...new Set([...told(before, says), ...unread])])
}
