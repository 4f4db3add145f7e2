import type { Instant } from '../../process/clock.ts'
import { heldUntil } from '../companions/busy.ts'
import { iso, isoOrNull } from '../text.ts'
import { hasRoomToWake } from '../workload/change.ts'
import { CLEAR_OVERRIDE, pinText, pinValues, UNPIN } from '../workload/explanation.ts'
import type { Backoff, Override, Pin } from '../workload/state.ts'
import { HOLDS, holdsOver, isRepair, type Hold } from '../workload/trigger.ts'
import { currentReplicas, type Workload } from '../workload/workload.ts'
import { backoffFromFight, causeText } from './backoff.ts'
import {
  because,
  lookAgain,
  noAction,
  reworded,
  type Decision,
  type PartialDecision,
  type Reason,
} from './decision.ts'
import { desired } from './desired.ts'
import { stillRuns } from './intent.ts'
import { fightOf } from './scaling.ts'
import type { Situation } from './situation.ts'

/** The decision while a hold is in effect, in the place of what is `wished`; undefined: it lets that be done. */
type Answer = (situation: Situation, wished: PartialDecision) => PartialDecision | undefined

const ANSWERS: Readonly<Record<Hold, Answer>> = {
  pin: ({ state: { pin } }) => pin && pinned(pin),
  override: ({ override }, wished) => override && overridden(override, wished),
  keda: pausedByOthers,
  risk: leftAwake,
  for: asAskedFor,
  flapping: restsFromFlapping,
  refusal: ({ backoff }, wished) =>
    backoff?.cause === 'failure' && wished.action !== 'none' ? waiting(backoff, wished) : undefined,
}

/**
 * The decision itself, or the answer of the strongest hold in effect that its trigger yields to. Marks that follow what
 * others did are never held back.
 */
export function afterHolds(situation: Situation, wished: PartialDecision): PartialDecision {
  const { action, adopts, trigger = 'schedule' } = wished
  if (adopts || action === 'adopt') return wished
  const holds = action === 'none' ? HOLDS : holdsOver(trigger, action)
  for (const hold of HOLDS) {
    const answer = holds.includes(hold) ? ANSWERS[hold](situation, wished) : undefined
    if (answer) return answer
  }
  return wished
}

function pinned(pin: Pin): PartialDecision {
  return noAction('pinned', () => pinText(pin), { values: () => pinValues(pin), remedy: UNPIN })
}

function overridden({ by, until }: Override, wished: PartialDecision): PartialDecision {
  const text = () => `overridden by ${by} ${until === null ? 'for good' : `until ${iso(until)}`}`
  const values = () => ({ by, until: isoOrNull(until) })
  const decision = noAction('overridden', text, { values, remedy: CLEAR_OVERRIDE })
  return until === null ? decision : { ...decision, delayed: delayed(wished, 'override', until) }
}

/**
 * Others have paused KEDA, so nothing puts the workload to sleep by itself; one found running counts as awake. A wake
 * is carried out: nothing stays down for good.
 */
function pausedByOthers(
  situation: Situation,
  { action, reason }: PartialDecision,
): PartialDecision | undefined {
  const why = situation.keda.held
  if (why === undefined) return undefined
  const words = (text: string) => `${why}${action === 'snooze' ? ` (then: ${text})` : `; ${text}`}`
  return asFound(situation, reworded(reason, words, { code: 'held_by_keda', values: { fault: why } }))
}

/** An automatic snooze that would lose data is not done; a sleeper that was found running then counts as awake. */
function leftAwake(situation: Situation, wished: PartialDecision): PartialDecision | undefined {
  const { action, reason } = wished
  const { replicas = situation.counts.toKeep } = wished
  const { workload } = situation
  if (action !== 'snooze' || currentReplicas(workload) <= situation.countAsleep(replicas)) return undefined
  const why = riskOf(workload)
  if (why === undefined) return whileBusy(situation, wished)
  const text = () => `left awake: ${why} (then: ${reason.text})`
  const remedy = { action: 'snooze', query: { force: 'true' } } as const
  return asFound(situation, because('data_at_risk', text, { values: { fault: why }, remedy }))
}

/** Something beside it is busy, such as a backup of it: it sleeps once that has ended, or after a while all the same. */
function whileBusy(
  { workload, state, now, rules }: Situation,
  wished: PartialDecision,
): PartialDecision | undefined {
  const busy = state.asleep ? undefined : rules.busyBeside?.(workload)
  const until = busy && heldUntil(busy, wished.dueAt, now)
  if (until === undefined) return undefined
  const text = () => `left awake until ${iso(until)} at most: ${busy?.why} (then: ${wished.reason.text})`
  const remedy = { action: 'snooze', query: { force: 'true' } } as const
  const values = { fault: busy?.why ?? '', until: iso(until) }
  return { ...noAction('data_at_risk', text, { values, remedy }), ...lookAgain(until) }
}

const VOLUMES_AT_RISK =
  'its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes'
const COUNT_AT_RISK =
  'its annotations are nearly as large as the API server takes, so the state to wake it by might not fit'

/** Why putting a workload to sleep would lose data (volumes: KEP-1847); undefined: it would not. */
export function riskOf(workload: Workload): string | undefined {
  if (workload.deletesVolumes) return VOLUMES_AT_RISK
  return hasRoomToWake(workload) ? undefined : COUNT_AT_RISK
}

/** A `for` that still runs keeps the state that was asked for. The schedule asks for nothing else then. */
function asAskedFor(situation: Situation, { action }: PartialDecision): PartialDecision | undefined {
  const { intent, now } = situation
  const against = intent?.want === 'asleep' ? 'wake' : 'snooze'
  if (action !== against || !stillRuns(intent, now)) return undefined
  const { code, text, values } = desired(situation)
  return noAction(code, text, { values })
}

/** Nothing is done, except that the marks of a sleeper that runs are set to match. */
function asFound({ workload, state, counts, isAtRest }: Situation, reason: Reason): PartialDecision {
  if (!state.asleep || isAtRest) return { action: 'none', reason }
  const { replicas } = workload
  return { action: 'adopt', adopts: true, trigger: 'recovery', replicas, kept: counts.stillKept, reason }
}

/** It was switched too often; or an autoscaler wakes it again and again, and this time nobody fights that. */
function restsFromFlapping(situation: Situation, wished: PartialDecision): PartialDecision | undefined {
  const { workload, state, now, rules, backoff } = situation
  const { action, trigger } = wished
  if (action === 'none') return undefined
  const fought = action === 'snooze' && isRepair(trigger) ? fightOf(workload, rules) : undefined
  if (backoff) return backoff.cause === 'failure' ? undefined : waiting(backoff, wished, fought)
  const started = fought === undefined ? undefined : backoffFromFight(state, now, rules.policy)
  return started && { ...waiting(started, wished, fought), startsBackoff: started }
}

/** `fought`: what an autoscaler does against it. */
function waiting(backoff: Backoff, wished: PartialDecision, fought?: string): PartialDecision {
  const { cause, until, refusal } = backoff
  const why = cause === 'flapping' && fought !== undefined ? fought : causeText(backoff)
  const text = () => `waits until ${iso(until)}: ${why} (then: ${wished.reason.text})`
  const values = () => ({ until: iso(until), cause, ...(refusal !== undefined && { refusal }) })
  const delays = { delayed: delayed(wished, 'backoff', until) }
  return { ...noAction('backoff', text, { values }), ...delays, ...lookAgain(until) }
}

function delayed(
  { action, intent }: PartialDecision,
  cause: 'backoff' | 'override',
  until: Instant,
): NonNullable<Decision['delayed']> {
  return { action, cause, until, ...(intent && { intent }) }
}
