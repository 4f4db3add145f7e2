import type { Instant } from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import { afterHolds } from '../deciding/holds.ts'
import { decide } from '../deciding/decide.ts'
import { isLate } from '../deciding/late.ts'
import { because } from '../deciding/decision.ts'
import { desired } from '../deciding/desired.ts'
import { stillRuns } from '../deciding/intent.ts'
import { situationOf, type Situation } from '../deciding/situation.ts'
import type { Rules } from '../deciding/rules.ts'
import { iso, isoOrNull } from '../text.ts'
import type { KnockState } from '../traffic/knock.ts'
import { readWorkload } from '../workload/reading.ts'
import type { State } from '../workload/state.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { podsFollowed, wantsPods, type Workload } from '../workload/workload.ts'
import { planOn, withChange, type Plan } from './request.ts'

/** The state in which traffic finds a workload. */
export interface Knocked {
  /** `held`: traffic does not wake it, and `reason` says why; `off`: it did not opt in. */
  readonly state: KnockState
  readonly reason: string
  /** asleep, held: until then; null: nobody knows. */
  readonly until: string | null
  /** Whether it wakes for longer than operationTimeout. */
  readonly late: boolean
  /** Seconds that its wakes took; null: none is known. */
  readonly usualSeconds: number | null
  /** The wake; undefined: there is none to write. */
  readonly wake: Plan | undefined
}

const OFF = { state: 'off', until: null, late: false, usualSeconds: null, wake: undefined } as const

/**
 * The state in which traffic to `by`, such as `service/web:http`, finds a workload at `clock`, and the wake that it may
 * cause.
 */
export function planKnock(workload: Workload, by: string, clock: Instant, rules: Rules): Knocked {
  const reading = readWorkload(workload, rules)
  if (reading instanceof Unreadable) return { ...OFF, reason: reading.message }
  if (reading.enabled !== true || !reading.isSettled || reading.wakeOnTraffic === 'off')
    return { ...OFF, reason: 'dormouse.dev/wake-on-traffic does not let traffic wake it' }
  const situation = situationOf(reading, clock, rules)
  const usualSeconds = usualWake(situation.state.history)
  const of = { ...OFF, usualSeconds, reason: decide(situation).reason.text }
  if (!situation.state.asleep) {
    if (situation.looksAsleep) return { ...OFF, reason: 'Dormouse has not put it to sleep' }
    const isUp = wantsPods(workload) && podsFollowed(workload)
    return { ...of, state: isUp ? 'awake' : 'waking', late: isLate(situation) }
  }
  const held = holdOver(situation)
  if (held) return { ...of, state: 'held', ...held }
  const until = isoOrNull(desired(situation).end?.() ?? situation.hours?.nextEdge?.at ?? null)
  try {
    const effect = planOn(workload, reading, { action: 'wake' }, { by, clock, rules, trigger: 'traffic' })
    return { ...of, state: 'asleep', until, wake: withChange(workload, effect) }
  } catch (error) {
    // Such as one that is being deleted, or that a Rollout scales: the others of its Service wake all the same.
    if (error instanceof Refusal) return { ...OFF, reason: error.message }
    throw error
  }
}

/** Why traffic may not wake it now, and until when; undefined: it may. */
function holdOver(situation: Situation): Pick<Knocked, 'reason' | 'until'> | undefined {
  const reason = because('intent', () => 'somebody called its Service')
  const wished = { action: 'wake', trigger: 'traffic', reason } as const
  const answer = afterHolds(situation, wished)
  if (answer === wished) return undefined
  const { intent, now } = situation
  const { code, text, values } = answer.reason
  // A `for` lets go at its own end, though hours of sleep may follow.
  const isFor = stillRuns(intent, now) && code === desired(situation).code
  return { reason: text, until: isFor ? iso(intent.until) : ((values['until'] as string | null) ?? null) }
}

/** The median of the seconds that its wakes took. */
function usualWake(history: State['history']): number | null {
  const took = history.flatMap(({ type, result, duration }) =>
    type === 'wake' && result === 'succeeded' && duration !== null ? [duration] : [],
  )
  const median = took.toSorted((a, b) => a - b)[took.length >> 1]
  return median === undefined ? null : Math.max(1, Math.round(median / 1000))
}
