import type { Instant } from '../../process/clock.ts'
import { presentState, type Intent } from '../workload/state.ts'
import { formsIntent } from '../workload/trigger.ts'
import type { PartialDecision } from './decision.ts'
import type { Situation } from './situation.ts'

/** Whether an intent's `for` still runs: then only a request or a manual wake replaces it. */
export function stillRuns(intent: Intent | undefined, now: Instant): intent is Intent & { until: Instant } {
  return intent?.until !== undefined && intent.until > now
}

/**
 * An intent formed now. It is dated after the one that it replaces, even where this replica's clock lags behind. It
 * inherits `before` from one whose `until` still runs.
 */
export function newIntent(
  { state, now, intent: replaced }: Situation,
  asked: Pick<Intent, 'want' | 'by' | 'trigger' | 'until' | 'hold'>,
): Intent {
  const before = stillRuns(replaced, now) ? replaced.before : presentState(state)
  return { ...asked, at: Math.max(now, (replaced?.at ?? 0) + 1), before }
}

/** Until when a wake without `for` lasts in hours of sleep, where there is a schedule to return to. */
export function wakeHold(
  { reading, now, rules }: Situation,
  trigger: Intent['trigger'] = 'manual',
): { hold?: Instant } {
  const wakeHold = (trigger === 'traffic' ? reading.trafficHold : undefined) ?? rules.policy.wakeHold
  return reading.schedule && wakeHold !== null ? { hold: now + wakeHold } : {}
}

/** The intent of whoever wakes a sleeper past Dormouse: by scaling it, by taking our key away, or by a deploy. */
export function manualWake(
  situation: Situation,
  by: string | null,
  trigger: Intent['trigger'] = 'manual',
): Intent {
  return newIntent(situation, { want: 'awake', by, trigger, ...wakeHold(situation) })
}

/**
 * The intent that a move forms: that of whoever moved it past Dormouse, unless it is overridden; or the schedule's, if
 * it moves at an `edge`, where the intent is dated, not at the write.
 */
export function intentOfMove(
  situation: Situation,
  { action, adopts, trigger = 'schedule', by = null }: PartialDecision,
  edge: Instant | undefined,
): { intent?: Intent } {
  if (action === 'none') return {}
  const want = action === 'snooze' ? 'asleep' : 'awake'
  if (adopts && formsIntent(trigger) && !situation.override)
    return {
      intent:
        want === 'awake' ? manualWake(situation, by, trigger) : newIntent(situation, { want, by, trigger }),
    }
  if (adopts || trigger !== 'schedule' || edge === undefined) return {}
  return { intent: { ...newIntent(situation, { want, by: null, trigger }), at: edge } }
}
