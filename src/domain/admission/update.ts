import type { Instant } from '../../process/clock.ts'
import type { Refusal } from '../../process/errors.ts'
import { Situation } from '../deciding/situation.ts'
import { withoutRequest } from '../workload/marks.ts'
import { marksRestored } from '../workload/restoring.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import { outweighsSchedule } from '../workload/trigger.ts'
import { rescheduled } from '../deciding/rescheduled.ts'
import type { Rules } from '../deciding/rules.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { clip } from '../text.ts'
import { CLIENT_MANAGER, FIELD_MANAGER } from '../workload/workload.ts'
import { annotationFault, SETTINGS, withoutEffect } from './annotations.ts'
import { decideCount, withCountOf } from './count.ts'
import { deny, type AdmissionDecision, type Denial } from './decision.ts'
import { decisionFrom, draft, type Draft } from './draft.ts'
import { forPeople } from './for-people.ts'
import { about, MARKS_KEPT } from './messages.ts'
import { newVersionOfSleeper } from './new-version.ts'
import { activePinOrOverride, gainsOwner, mayBreakHold, refuse, refuseUnread } from './pin-or-override.ts'
import { decideRequest } from './request-annotation.ts'
import type { Update } from './under-review.ts'

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
  const decision = decide(update, now, rules, refusal)
  // It words times and names itself, for its own reader.
  return update.manager === CLIENT_MANAGER ? decision : forPeople(decision, update.before, now, rules)
}

function decide(update: Update, now: Instant, rules: Rules, refusal: Refusal | undefined): AdmissionDecision {
  const { before, after, manager, unknown, by } = update
  // Denied whole: with its annotations restored and its count let through, the kept count would be lost.
  if (manager === FIELD_MANAGER && before.annotations.state !== after.annotations.state)
    return deny('other_dormouse', about(before, otherDormouse(by)))
  const sent = decideSent(withoutItsRequest(update), now, rules)
  if (sent.type === 'denied') return sent
  const made = decideRequest(update, sent, now, rules, refusal)
  if (made.type === 'denied') return made
  const says = [
    ...made.says,
    ...newVersionOfSleeper(update, made, now, rules),
    ...withoutEffect(before, after, unknown, now, rules),
  ]
  return decisionFrom(update, { ...made, says })
}

function otherDormouse(by: string | null): string {
  const account = by === null ? '' : ` (${clip(by)})`
  return (
    `: another account that calls itself dormouse${account} wrote dormouse.dev/state. ` +
    'Run all replicas of Dormouse under one account'
  )
}

/** Beside a request a count is not all that is meant. */
function withoutItsRequest(update: Update): Update {
  const after = withoutRequest(update.after)
  return after === update.after ? update : { ...update, after, otherChanges: true }
}

/** Decides on all but a request. */
function decideSent(update: Update, now: Instant, rules: Rules): Draft | Denial {
  const { before, after } = update
  // A state that differs from ours is an old copy of it.
  const restored = marksRestored(after, before, true, rules)
  const isRestored = restored !== after
  // Checked after the restore: a rollback to a revision with a broken schedule must go through.
  const fault = annotationFault(SETTINGS, before.annotations, restored.annotations)
  if (fault !== undefined) return deny('invalid_annotation', about(after, `: ${fault}`))
  const old = readWorkload(before, rules)
  if (old instanceof Unreadable) return decideUnread(update, old)
  // Read with the count and key that the state belongs to.
  const { replicas, snoozeKey } = before
  const unscaled = readWorkload({ ...restored, replicas, snoozeKey }, rules)
  if (unscaled instanceof Unreadable) return decideUnread(update, unscaled)
  const was = new Situation(old, now, rules)
  const is = was.with(withCountOf(after, unscaled))
  const hold = activePinOrOverride(was)
  if (hold) {
    // Its own `enabled` ends a hold that outlived the one it had inherited: nothing else has to differ then.
    if (unscaled.enabled !== old.enabled || !is.isHeld)
      return refuse(before, hold, ', so dormouse.dev/enabled cannot change')
    if (gainsOwner(before, after)) return refuse(before, hold, ', so it cannot get an owner')
  }
  const sent = decideCount({ ...update, was, is, hold, isRestored })
  if (sent.type === 'denied') return sent
  const reason = sent.reason === 'free' && isRestored ? 'restored' : sent.reason
  return draft(reason, withIntentOfSchedule(was, sent.target), [
    ...(isRestored ? [MARKS_KEPT] : []),
    ...sent.says,
  ])
}

/** A rollout of a workload whose state cannot be read passes, even under a hold. */
function decideUnread({ before, after }: Update, why: Unreadable): Draft | Denial {
  const refused = mayBreakHold(before, after) ? refuseUnread(before, why) : undefined
  return refused ?? draft('unreadable', why)
}

/** A changed schedule or timezone replaces an earlier request; without one it needs no intent. */
function withIntentOfSchedule(was: Situation, target: Reading): Reading {
  const { intent } = target.state
  if (target.enabled !== true || !intent || !outweighsSchedule(intent)) return target
  return rescheduled(was, target, null)
}
