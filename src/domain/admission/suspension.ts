import type { Instant } from '../../service/process/clock.ts'
import type { Reading } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import { isRunning, type Workload } from '../workload/workload.ts'
import type { AdmissionDecision } from './decision.ts'
import type { Draft, Update } from './draft.ts'
import { about, toAsk } from './messages.ts'
import { howToEnd, refuse, type PinOrOverride } from './pin-or-override.ts'
import { withCountOf } from './replicas.ts'
import { wokenByHand } from './snooze-key.ts'

/**
 * Decides on an update that suspends or resumes a CronJob. Alone, and not by an apply, it is done by hand: it wakes a
 * sleeper, and is refused under a pin or override. All other updates go through without it where Dormouse decides.
 */
export function draftSuspension(
  { before, after, otherChanges, isApply, by }: Update,
  old: Reading,
  target: Reading,
  pinOrOverride: PinOrOverride | undefined,
  now: Instant,
  rules: Rules,
): Draft | AdmissionDecision {
  const free: Draft = { target, reason: 'free', warnings: [] }
  if ((old.enabled !== true && !pinOrOverride) || isRunning(before) === isRunning(after)) return free
  const byHand = !otherChanges && !isApply
  if (pinOrOverride) {
    if (byHand) return refuse(before, pinOrOverride)
    const says = `stays ${isRunning(before) ? 'unsuspended' : 'suspended'}: it ${pinOrOverride.says}`
    const warnings = [about(before, says), howToEnd(before, pinOrOverride)]
    return { target: withCountOf(before, target), reason: 'held', warnings }
  }
  if (!old.state.asleep || isRunning(before)) return free
  if (byHand) return { target: wokenByHand(target, by, 1, now, rules), reason: 'manual_wake', warnings: [] }
  return absorbed(before, target)
}

/** It stays suspended, and runs once it wakes. */
function absorbed(before: Workload, target: Reading): Draft {
  const asleep = withCountOf(before, target)
  const { snoozed } = asleep.state
  const warnings = [
    about(before, 'is asleep and stays suspended; it will run once it wakes'),
    toAsk(before, 'to wake it now', { action: 'wake', query: {} }),
  ]
  if (!snoozed || snoozed.replicas === 1) return { target: asleep, reason: 'absorbed', warnings }
  const state = { ...asleep.state, snoozed: { ...snoozed, replicas: 1 } }
  return { target: { ...asleep, state }, reason: 'absorbed', warnings }
}
