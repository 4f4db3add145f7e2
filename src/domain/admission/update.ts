import type { Instant } from '../../clock.ts'
import { transition } from '../operation.ts'
import { changeBetween } from '../change.ts'
import { countToKeep, keptCount, readWorkload, withState, type Reading } from '../reading.ts'
import { rescheduled } from '../rescheduled.ts'
import type { Rules } from '../rules.ts'
import { UnreadableState } from '../state-codec.ts'
import { counted } from '../text.ts'
import { wakeHold, newIntent } from '../intent.ts'
import { FIELD_MANAGER, isRunning, pathOf, type Workload } from '../workload.ts'
import { annotationFault } from './annotations.ts'
import { restoredMarks } from './marks.ts'
import { reinvoked } from './reinvocation.ts'
import {
  allow,
  deny,
  holdOn,
  refuse,
  type Hold,
  type Judgement,
  type JudgementReason,
  type Update,
} from './judgement.ts'

/** Where a judgement stands: what the object is to become, and what the person is to be told. */
interface Draft {
  readonly target: Reading
  readonly reason: JudgementReason
  readonly warnings: readonly string[]
}

/** A write of a Dormouse that is not us is refused whole: half of it, the count without its marks, would lose the count. */
const OTHER_DORMOUSE =
  'dormouse.dev/state is written by one account alone, and this is another that calls itself dormouse. ' +
  'Let all replicas run under one account; while that changes, ask again in a moment'

/** What becomes of an update of a workload by somebody who is not exempt (design, section 6). */
export function judgeUpdate(update: Update, now: Instant, rules: Rules): Judgement {
  const { before, after, manager } = update
  if (manager === FIELD_MANAGER && before.annotations.state !== after.annotations.state)
    return deny('other_dormouse', OTHER_DORMOUSE)
  return reinvoked(update, now, rules, judged) ?? judged(update, now, rules)
}

function judged(update: Update, now: Instant, rules: Rules): Judgement {
  const { before, after } = update
  const marks = restoredMarks(before, after)
  // An old revision's fault is restored away: it does not stand in the way of going back to it.
  const fault = annotationFault(before, marks.workload)
  if (fault !== undefined) return deny('invalid_annotation', fault)
  let old: Reading
  let target: Reading
  try {
    old = readWorkload(before, rules)
    target = withCountOf(after, readWorkload(withCount(before, marks.workload), rules))
  } catch (error) {
    if (error instanceof UnreadableState)
      return allow('unreadable', `Dormouse did not check this: ${error.message}`)
    throw error
  }
  const hold = holdOn(old, now)
  if (hold && target.enabled !== old.enabled) return refuse(hold, 'dormouse.dev/enabled cannot change: ')
  // Who also takes our marks away did not mean the key alone (`kubectl replace`).
  const broad = marks.warning !== undefined
  const judgement = hold
    ? held(update, old, target, hold)
    : free(broad ? { ...update, otherChanges: true } : update, old, target, now, rules)
  if ('type' in judgement) return judgement
  const change = changeBetween(after, withIntentOfChange(old, judgement.target, now, rules))
  const reason = judgement.reason === 'free' && marks.warning !== undefined ? 'restored' : judgement.reason
  const warnings = [...(marks.warning === undefined ? [] : [marks.warning]), ...judgement.warnings]
  return { type: 'allow', reason, ...(change ? { change } : {}), warnings }
}

/** A changed schedule or zone is an intent; where none of a person's stands against it, it goes without saying. */
function withIntentOfChange(old: Reading, target: Reading, now: Instant, rules: Rules): Reading {
  const { intent } = target.state
  if (target.enabled !== true || !intent || intent.trigger === 'schedule') return target
  return rescheduled(old, target, null, now, rules)
}

/** Pinned or overridden: the count stays, and a change of it alone is refused. */
function held(
  { before, after, otherChanges }: Update,
  old: Reading,
  target: Reading,
  hold: Hold,
): Draft | Judgement {
  if (!movesCount(before, after)) return { target, reason: 'free', warnings: [] }
  const kept = old.state.asleep && before.kind !== 'daemonsets' && after.replicas === keptCount(old)
  if (!otherChanges && !kept) return refuse(hold)
  const warnings = [`the count was held at ${before.replicas}: ${hold.says}`, hold.clear]
  return { target: withCountOf(before, target), reason: 'held', warnings }
}

/** Neither: a sleeper stays asleep and keeps the new count for when it wakes; only scaling wakes it. */
function free(update: Update, old: Reading, target: Reading, now: Instant, rules: Rules): Draft {
  const { before, after, otherChanges, manager } = update
  const plain: Draft = { target, reason: 'free', warnings: [] }
  if (old.enabled !== true || !movesCount(before, after)) return plain
  if (before.kind === 'daemonsets') {
    if (after.snoozeKey !== undefined) {
      const warning = 'the nodeSelector key dormouse.dev/snoozed was left out: only Dormouse sets it'
      return { target: withCountOf(before, target), reason: 'held', warnings: [warning] }
    }
    if (!old.state.asleep) return plain
    if (otherChanges) {
      return {
        target: withCountOf(before, target),
        reason: 'absorbed',
        warnings: ['it sleeps: dormouse.dev/snoozed stays in its nodeSelector until Dormouse wakes it'],
      }
    }
    return { target: wokenByHand(target, manager, now, rules), reason: 'manual_wake', warnings: [] }
  }
  if (!old.state.asleep || isRunning(before) || after.replicas === 0) return plain
  return absorbed(before, after, target)
}

/** A DaemonSet whose key alone was taken away: nothing but this review sees whose hand it was. */
function wokenByHand(target: Reading, by: string | null, now: Instant, rules: Rules): Reading {
  const intent = newIntent(target, now, {
    want: 'awake',
    by,
    trigger: 'manual',
    ...wakeHold(target, now, rules),
  })
  const spoken = withState(target, { ...target.state, intent })
  return transition(
    spoken,
    { action: 'adopt', trigger: 'manual', by, replicas: countToKeep(target) },
    now,
    rules,
  )
}

function absorbed(before: Workload, after: Workload, target: Reading): Draft {
  const asleep = withCountOf(before, target)
  const { snoozed } = asleep.state
  const count = after.replicas
  const warnings = [
    `it sleeps, so it stays at 0; it will wake to ${counted(count, 'replica')}`,
    `To wake it now: kubectl scale, or POST ${pathOf(before)}/wake`,
  ]
  if (!snoozed || snoozed.replicas === count) return { target: asleep, reason: 'absorbed', warnings }
  const state = { ...asleep.state, snoozed: { ...snoozed, replicas: count } }
  return { target: { ...asleep, state }, reason: 'absorbed', warnings }
}

function movesCount(before: Workload, after: Workload): boolean {
  return before.kind === 'daemonsets'
    ? before.snoozeKey !== after.snoozeKey
    : before.replicas !== after.replicas
}

function withCountOf(counted: Workload, target: Reading): Reading {
  return { ...target, workload: withCount(counted, target.workload) }
}

function withCount({ replicas, snoozeKey }: Workload, workload: Workload): Workload {
  return { ...workload, replicas, snoozeKey }
}
