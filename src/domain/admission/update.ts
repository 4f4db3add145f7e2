import type { Instant } from '../../process/clock.ts'
import type { Refusal } from '../../process/errors.ts'
import { changeBetween } from '../workload/change.ts'
import { Situation } from '../deciding/situation.ts'
import { marksRestored, withoutRequest } from '../workload/marks.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import { isAutomatic, rescheduled } from '../deciding/intent.ts'
import type { Rules } from '../deciding/rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { clip } from '../text.ts'
import { CLIENT_MANAGER, FIELD_MANAGER } from '../workload/workload.ts'
import { annotationFault, SETTINGS, withoutEffect } from './annotations.ts'
import { deny, patched, withWarnings, type AdmissionDecision } from './decision.ts'
import { draftOf, withCountOf, type Update } from './draft.ts'
import { forPeople } from './for-people.ts'
import { about, marksKept } from './messages.ts'
import { newVersionOfSleeper } from './new-version.ts'
import { activePinOrOverride, gainsOwner, mayBreakHold, refuse, unreadable } from './pin-or-override.ts'
import { decideRequest } from './request-annotation.ts'

/**
 * Decides on an update of a workload by an account that is not exempt. `refusal`: why its user may
 * not make the request found by `requestIn`.
 */
export function admitUpdate(
  update: Update,
  now: Instant,
  rules: Rules,
  refusal?: Refusal,
): AdmissionDecision {
  const { before, manager } = update
  const decision = decideWhole(update, now, rules, refusal)
  // It words times and names itself, for its own reader.
  return manager === CLIENT_MANAGER ? decision : forPeople(decision, before, now, rules)
}

function decideWhole(
  update: Update,
  now: Instant,
  rules: Rules,
  refusal: Refusal | undefined,
): AdmissionDecision {
  const { before, after, manager, unknown, by } = update
  // Denied whole: with its annotations restored and its count let through, the kept count would be lost.
  if (manager === FIELD_MANAGER && before.annotations.state !== after.annotations.state)
    return deny('other_dormouse', about(before, otherDormouse(by)))
  const decision = decideWithRequest(update, now, rules, refusal)
  if (decision.type === 'denied') return decision
  return withWarnings(decision, [
    ...newVersionOfSleeper(update, decision, now, rules),
    ...withoutEffect(before, after, unknown, now, rules),
  ])
}

function decideWithRequest(
  update: Update,
  now: Instant,
  rules: Rules,
  refusal: Refusal | undefined,
): AdmissionDecision {
  const { request } = update.after.annotations
  if (request === undefined) return decideUpdate(update, now, rules)
  // Beside a request a count is not all that is meant.
  const rest = { ...update, after: withoutRequest(update.after), otherChanges: true }
  return decideRequest(update, request, decideUpdate(rest, now, rules), now, rules, refusal)
}

function otherDormouse(by: string | null): string {
  const account = by === null ? '' : ` (${clip(by)})`
  return (
    `: another account that calls itself dormouse${account} wrote dormouse.dev/state. ` +
    'Run all replicas of Dormouse under one account'
  )
}

function decideUpdate(update: Update, now: Instant, rules: Rules): AdmissionDecision {
  const { before, after } = update
  // A state that differs from ours is an old copy of it.
  const restored = marksRestored(after, before, true, rules)
  const isRestored = restored !== after
  // Checked after the restore: a rollback to a revision with a broken schedule must go through.
  const fault = annotationFault(SETTINGS, before.annotations, restored.annotations)
  if (fault !== undefined) return deny('invalid_annotation', about(after, `: ${fault}`))
  const old = readWorkload(before, rules)
  if (old instanceof Unreadable) return unreadable(before, old, mayBreakHold(before, after))
  // Read with the count and key that the state belongs to.
  const { replicas, snoozeKey } = before
  const unscaled = readWorkload({ ...restored, replicas, snoozeKey }, rules)
  if (unscaled instanceof Unreadable) return unreadable(before, unscaled, mayBreakHold(before, after))
  const was = new Situation(old, now, rules)
  const is = was.with(withCountOf(after, unscaled))
  const pinOrOverride = activePinOrOverride(was)
  if (pinOrOverride) {
    // Its own `enabled` ends a hold that outlived the one it had inherited: nothing else has to differ then.
    if (unscaled.enabled !== old.enabled || !is.isHeld)
      return refuse(before, pinOrOverride, ', so dormouse.dev/enabled cannot change')
    if (gainsOwner(before, after)) return refuse(before, pinOrOverride, ', so it cannot get an owner')
  }
  const draft = draftOf(update, was, is, isRestored, pinOrOverride)
  if ('type' in draft) return draft
  const change = changeBetween(after, withIntentOfSchedule(was, draft.target))
  const reason = draft.reason === 'free' && isRestored ? 'restored' : draft.reason
  return patched(reason, after, change, [...(isRestored ? [marksKept(before)] : []), ...draft.warnings])
}

/** A changed schedule or timezone replaces an earlier request; without one it needs no intent. */
function withIntentOfSchedule(was: Situation, target: Reading): Reading {
  const { intent } = target.state
  if (target.enabled !== true || !intent || isAutomatic(intent)) return target
  return rescheduled(was, target, null)
}
