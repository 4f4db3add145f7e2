import type { Instant } from '../../clock.ts'
import { newIntent, wakeHold } from '../intent.ts'
import { transition } from '../operation.ts'
import { keptCount } from '../counts.ts'
import { withState, type Reading } from '../reading.ts'
import type { Rules } from '../rules.ts'
import { SNOOZE_KEY } from '../workload.ts'
import { refuse, type Draft, type Hold, type Judgement, type Update } from './judgement.ts'
import { about } from './messages.ts'

/**
 * Our key in a DaemonSet's nodeSelector was put in, taken away or changed. A nodeSelector is atomic in server-side
 * apply, so every forced sync drops the key: it is put back, and nobody is bothered. Only who takes away the key
 * alone, by an update that is no apply, means the key.
 */
export function judgeKey(
  { before, after, otherChanges, isApply, by }: Update,
  target: Reading,
  hold: Hold | undefined,
  now: Instant,
  rules: Rules,
): Draft | Judgement {
  const { snoozeKey } = before
  const kept = { ...target, workload: { ...target.workload, snoozeKey } }
  const alone = !otherChanges && !isApply
  if (snoozeKey === undefined) {
    if (hold && alone) return refuse(before, hold)
    const warnings = [about(before, `does not get ${SNOOZE_KEY} in its nodeSelector: only Dormouse sets it`)]
    return { target: kept, reason: 'held', warnings }
  }
  if (!alone || after.snoozeKey !== undefined) return { target: kept, reason: 'absorbed', warnings: [] }
  if (hold) return refuse(before, hold)
  return { target: wokenByHand(target, by, now, rules), reason: 'manual_wake', warnings: [] }
}

/** Nothing but this review sees whose hand it was. */
function wokenByHand(target: Reading, by: string | null, now: Instant, rules: Rules): Reading {
  const wake = { want: 'awake', by, trigger: 'manual' } as const
  const intent = newIntent(target, now, { ...wake, ...wakeHold(target, now, rules) })
  // The write that is reviewed makes a new generation, which no status has seen: its pods have not followed.
  const workload = { ...target.workload, generation: target.workload.generation + 1 }
  const spoken = { ...withState(target, { ...target.state, intent }), workload }
  const replicas = keptCount(target)
  return transition(spoken, { action: 'adopt', trigger: 'manual', by, replicas }, now, rules)
}
