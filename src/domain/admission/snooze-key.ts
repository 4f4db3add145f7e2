import type { Instant } from '../../service/process/clock.ts'
import { newIntent, wakeHold } from '../deciding/intent.ts'
import { transition } from '../deciding/operation.ts'
import { keptCount } from '../workload/counts.ts'
import { withState, type Reading } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import { SNOOZE_KEY } from '../workload/workload.ts'
import type { AdmissionDecision } from './decision.ts'
import type { Draft, Update } from './draft.ts'
import { about } from './messages.ts'
import { refuse, type PinOrOverride } from './pin-or-override.ts'

/**
 * Decides on an update that adds, removes or changes our key in a DaemonSet's nodeSelector. A nodeSelector is
 * atomic in server-side apply, so every forced sync drops the key: restore it without a warning. Only an update that
 * is not an apply and removes the key alone is a manual wake.
 */
export function draftKey(
  { before, after, otherChanges, isApply, by }: Update,
  target: Reading,
  pinOrOverride: PinOrOverride | undefined,
  now: Instant,
  rules: Rules,
): Draft | AdmissionDecision {
  const { snoozeKey } = before
  const kept = { ...target, workload: { ...target.workload, snoozeKey } }
  const keyAlone = !otherChanges && !isApply
  if (snoozeKey === undefined) {
    if (pinOrOverride && keyAlone) return refuse(before, pinOrOverride)
    const warnings = [about(before, `does not get ${SNOOZE_KEY} in its nodeSelector: only Dormouse sets it`)]
    return { target: kept, reason: 'held', warnings }
  }
  if (!keyAlone || after.snoozeKey !== undefined) return { target: kept, reason: 'absorbed', warnings: [] }
  if (pinOrOverride) return refuse(before, pinOrOverride)
  return {
    target: wokenByHand(target, by, keptCount(target), now, rules),
    reason: 'manual_wake',
    warnings: [],
  }
}

/** Records the wake now: only the review knows its user. */
export function wokenByHand(
  target: Reading,
  by: string | null,
  replicas: number,
  now: Instant,
  rules: Rules,
): Reading {
  const wake = { want: 'awake', by, trigger: 'manual' } as const
  const intent = newIntent(target, now, { ...wake, ...wakeHold(target, now, rules) })
  // The API server will give this write a new generation, which no status has observed yet.
  const workload = { ...target.workload, generation: target.workload.generation + 1 }
  const intended = { ...withState(target, { ...target.state, intent }), workload }
  return transition(intended, { action: 'adopt', trigger: 'manual', by, replicas }, now, rules)
}
