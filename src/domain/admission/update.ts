import type { Instant } from '../../clock.ts'
import { changeBetween } from '../change.ts'
import { keptCount } from '../counts.ts'
import { readWorkload, type Reading } from '../reading.ts'
import { rescheduled } from '../rescheduled.ts'
import type { Rules } from '../rules.ts'
import { Unreadable } from '../state-codec.ts'
import { counted } from '../text.ts'
import { FIELD_MANAGER, isRunning, type Workload } from '../workload.ts'
import { annotationFault } from './annotations.ts'
import { judgeKey } from './daemonset.ts'
import {
  allow,
  clearing,
  deny,
  holdOn,
  refuse,
  unchecked,
  type Draft,
  type Hold,
  type Judgement,
  type Update,
} from './judgement.ts'
import { restoredMarks } from './marks.ts'
import { about, toSend } from './messages.ts'
import { withoutEffect } from './mistyped.ts'
import { reinvoked } from './reinvocation.ts'
import { gainsOwner } from './status.ts'

/** A write of a Dormouse that is not us is refused whole: half of it, the count without its marks, would lose the count. */
const OTHER_DORMOUSE =
  'has its dormouse.dev/state from one account alone, and this is another that calls itself dormouse. ' +
  'Let all replicas run under one account'

/** What becomes of an update of a workload by somebody who is not exempt (design, section 6). */
export function judgeUpdate(update: Update, now: Instant, rules: Rules): Judgement {
  const { before, after, manager, unknown } = update
  if (manager === FIELD_MANAGER && before.annotations.state !== after.annotations.state)
    return deny('other_dormouse', about(before, OTHER_DORMOUSE))
  const judgement = reinvoked(update, now, rules, judged) ?? judged(update, now, rules)
  if (judgement.type === 'deny') return judgement
  return { ...judgement, warnings: [...judgement.warnings, ...withoutEffect(before, after, unknown)] }
}

function judged(update: Update, now: Instant, rules: Rules): Judgement {
  const { before, after } = update
  const marks = restoredMarks(before, after)
  // An old revision's fault is restored away: it does not stand in the way of going back to it.
  const fault = annotationFault(before, marks.workload)
  if (fault !== undefined) return deny('invalid_annotation', about(after, `: ${fault}`))
  const old = readWorkload(before, rules)
  if (old instanceof Unreadable) return allow('unreadable', unchecked(before, old))
  const restored = readWorkload(withCount(before, marks.workload), rules)
  if (restored instanceof Unreadable) return allow('unreadable', unchecked(before, restored))
  const target = withCountOf(after, restored)
  const hold = holdOn(old, now)
  if (hold && target.enabled !== old.enabled) return refuse(before, hold, ': dormouse.dev/enabled stays')
  if (hold && gainsOwner(before, after)) return refuse(before, hold, ': it gets no owner')
  const draft = drafted(update, marks.warning !== undefined, old, target, hold, now, rules)
  if ('type' in draft) return draft
  const change = changeBetween(after, withIntentOfChange(old, draft.target, now, rules))
  const reason = draft.reason === 'free' && marks.warning !== undefined ? 'restored' : draft.reason
  const warnings = [...(marks.warning === undefined ? [] : [marks.warning]), ...draft.warnings]
  return { type: 'allow', reason, ...(change ? { change } : {}), warnings }
}

/** A changed schedule or zone is an intent; where none of a person's stands against it, it goes without saying. */
function withIntentOfChange(old: Reading, target: Reading, now: Instant, rules: Rules): Reading {
  const { intent } = target.state
  if (target.enabled !== true || !intent || intent.trigger === 'schedule') return target
  return rescheduled(old, target, null, now, rules)
}

function drafted(
  update: Update,
  restored: boolean,
  old: Reading,
  target: Reading,
  hold: Hold | undefined,
  now: Instant,
  rules: Rules,
): Draft | Judgement {
  const { before, after, otherChanges } = update
  const plain: Draft = { target, reason: 'free', warnings: [] }
  if (before.kind === 'daemonsets') {
    if (old.enabled !== true || before.snoozeKey === after.snoozeKey) return plain
    // Who also takes our marks away did not mean the key alone (`kubectl replace`).
    return judgeKey({ ...update, otherChanges: otherChanges || restored }, target, hold, now, rules)
  }
  if (before.replicas === after.replicas) return plain
  if (hold) return held(update, old, target, hold)
  if (old.enabled !== true || !old.state.asleep || isRunning(before) || after.replicas === 0) return plain
  return absorbed(before, after, target)
}

/** Pinned or overridden: the count stays, and a change of it alone is refused. */
function held(
  { before, after, otherChanges }: Update,
  old: Reading,
  target: Reading,
  hold: Hold,
): Draft | Judgement {
  const kept = old.state.asleep && after.replicas === keptCount(old)
  if (!otherChanges && !kept) return refuse(before, hold)
  const says = about(before, `stays at ${counted(before.replicas, 'replica')}: it ${hold.says}`)
  return {
    target: withCountOf(before, target),
    reason: 'held',
    warnings: [says, clearing(before, hold)],
  }
}

/** A sleeper stays asleep and keeps the new count for when it wakes; only scaling wakes it. */
function absorbed(before: Workload, after: Workload, target: Reading): Draft {
  const asleep = withCountOf(before, target)
  const { snoozed } = asleep.state
  const count = after.replicas
  const warnings = [
    about(before, `is asleep and stays at 0 replicas; it will wake to ${count}`),
    toSend(before, `to wake it now, kubectl scale --replicas=${count} or`, 'POST', 'wake'),
  ]
  if (!snoozed || snoozed.replicas === count) return { target: asleep, reason: 'absorbed', warnings }
  const state = { ...asleep.state, snoozed: { ...snoozed, replicas: count } }
  return { target: { ...asleep, state }, reason: 'absorbed', warnings }
}

function withCountOf(counted: Workload, target: Reading): Reading {
  return { ...target, workload: withCount(counted, target.workload) }
}

function withCount({ replicas, snoozeKey }: Workload, workload: Workload): Workload {
  return { ...workload, replicas, snoozeKey }
}
