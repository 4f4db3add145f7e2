import type { Instant } from '../../process/clock.ts'
import { isCredible } from './decision-time.ts'
import type { Policy } from '../workload/settings-rules.ts'
import { shortened } from '../workload/trouble.ts'
import { BACKOFF_CAUSES, type Backoff, type BackoffCause, type State } from '../workload/state.ts'
import { isKnown, isRepair } from '../workload/trigger.ts'

const FAILURE_BASE = 10_000
const FAILURE_MAX = 600_000

/** The backoff, unless it has ended. */
export function backoffInEffect({ backoff }: State, now: Instant): Backoff | undefined {
  return backoff && backoff.until > now ? backoff : undefined
}

const CAUSE_TEXT: Readonly<Record<BackoffCause, string>> = {
  flapping: 'it was switched too often',
  failure: 'the cluster refused the last attempt',
}

/** Why a backoff is in effect, in words. */
export function causeText({ cause, refusal }: Pick<Backoff, 'cause' | 'refusal'>): string {
  const text = isKnown(BACKOFF_CAUSES, cause) ? CAUSE_TEXT[cause] : cause
  // Cut again: other hands may have written the state.
  return refusal === undefined ? text : `${text}: ${shortened(refusal)}`
}

/** Cuts a backoff that ends later than any rule sets, after a clock was set back or in a state from elsewhere. */
export function withBackoffCut(state: State, now: Instant, { backoff: policy }: Policy): State {
  const { backoff } = state
  if (!backoff) return state
  const longest: Readonly<Record<BackoffCause, number>> = { flapping: policy.max, failure: FAILURE_MAX }
  const { cause } = backoff
  const end = now + (isKnown(BACKOFF_CAUSES, cause) ? longest[cause] : Math.max(...Object.values(longest)))
  return isCredible(backoff.until, end) ? state : { ...state, backoff: { ...backoff, until: end } }
}

/** How many operations of the last `window` milliseconds the cluster accepted, without those of a wrong clock. */
export function recentOperations({ history }: State, now: Instant, window: number): number {
  const since = now - window
  return history.filter(({ at, result }) => at > since && isCredible(at, now) && result !== 'failed').length
}

/**
 * The state once its newest operation was written to the history: more than `maxOperations` within the window start a
 * backoff, and each further one is twice as long. A backoff in effect is not prolonged, and a quiet window resets it.
 */
export function afterOperation(state: State, now: Instant, { backoff: policy }: Policy): State {
  const { backoff, ...rest } = state
  if (backoff?.cause === 'flapping' && backoff.until > now) return state
  if (recentOperations(state, now, policy.window) > policy.maxOperations)
    return { ...rest, backoff: flapping(state, now, policy) }
  return timesInRow(state, now, policy) > 0 ? state : rest
}

/** A backoff that begins now; each in a row is twice as long. */
function flapping(state: State, now: Instant, policy: Policy['backoff']): Backoff {
  const times = timesInRow(state, now, policy) + 1
  return { until: now + doubled(policy.base, times, policy.max), times, cause: 'flapping' }
}

/** How many backoffs came one after another, without a quiet window since the last; 0: none did. */
function timesInRow(state: State, now: Instant, { window }: Policy['backoff']): number {
  const { backoff } = state
  return backoff?.cause === 'flapping' && !isQuiet(state, backoff, now, window) ? backoff.times : 0
}

/**
 * The backoff, awake, of a sleeper that an autoscaler woke again. Such a sleeper is put back at once the first time,
 * and then after each backoff. undefined: put it back now.
 */
export function backoffFromFight(state: State, now: Instant, policy: Policy): Backoff | undefined {
  const [newest] = state.history
  if (newest?.type !== 'snooze' || !isRepair(newest.trigger) || newest.result === 'failed') return undefined
  const { backoff } = state
  const hasRested = backoff?.cause === 'flapping' && backoff.until > newest.at
  return hasRested ? undefined : flapping(state, now, policy.backoff)
}

/** The state once the cluster refused an automatic operation: a backoff of 10 s, doubled each time, at most 10 min. */
export function afterFailure(state: State, now: Instant, refusal?: string): State {
  const times = state.backoff?.cause === 'failure' ? state.backoff.times + 1 : 1
  const until = now + doubled(FAILURE_BASE, times, FAILURE_MAX)
  const why = refusal === undefined || refusal === '' ? {} : { refusal }
  return { ...state, backoff: { until, times, cause: 'failure', ...why } }
}

/** Whether a whole window without operations lies before the newest one; the time of the backoff does not count. */
function isQuiet({ history }: State, backoff: Backoff, now: Instant, window: number): boolean {
  const previous = history.slice(1).find(({ at }) => isCredible(at, now))?.at ?? 0
  return now - Math.max(previous, backoff.until) > window
}

function doubled(base: number, times: number, max: number): number {
  return Math.min(max, base * 2 ** Math.min(times - 1, 30))
}
