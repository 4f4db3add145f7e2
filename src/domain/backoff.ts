import type { Instant } from '../clock.ts'
import { recentOperations } from './history.ts'
import type { Policy } from './rules.ts'
import type { Backoff, State } from './state.ts'

const FAILURE_BASE = 10_000
const FAILURE_MAX = 600_000

/** Milliseconds that clocks may differ: beyond them an end that no rule sets is an error, and is cut. */
const CLOCK_SKEW = 5 * 60_000

/** The backoff that holds now, if any. */
export function backoffInEffect({ backoff }: State, now: Instant): Backoff | undefined {
  return backoff && backoff.until > now ? backoff : undefined
}

/** A backoff that ends later than any can (a clock that was set back, a state from elsewhere) ends after the longest. */
export function withBackoffCut(state: State, now: Instant, { backoff: policy }: Policy): State {
  const { backoff } = state
  if (!backoff) return state
  const end = now + (backoff.cause === 'flapping' ? policy.max : FAILURE_MAX)
  return backoff.until > end + CLOCK_SKEW ? { ...state, backoff: { ...backoff, until: end } } : state
}

/**
 * After an operation was put into the history: more than `maxOperations` within the window start a
 * backoff; each one after another doubles; what runs already is not prolonged; a quiet window resets.
 */
export function afterOperation(state: State, now: Instant, { backoff: policy }: Policy): State {
  const { backoff, ...rest } = state
  const flapped = backoff?.cause === 'flapping' ? backoff : undefined
  if (flapped && flapped.until > now) return state
  if (recentOperations(state, now - policy.window) <= policy.maxOperations) {
    return flapped && !isQuiet(state, flapped, now, policy.window) ? state : rest
  }
  const times = flapped && !isQuiet(state, flapped, now, policy.window) ? flapped.times + 1 : 1
  const until = now + doubled(policy.base, times, policy.max)
  return { ...rest, backoff: { until, times, cause: 'flapping' } }
}

/** After the cluster refused an automatic operation: 10 s, doubled each time, at most 10 min. */
export function afterFailure(state: State, now: Instant): State {
  const times = state.backoff?.cause === 'failure' ? state.backoff.times + 1 : 1
  const until = now + doubled(FAILURE_BASE, times, FAILURE_MAX)
  return { ...state, backoff: { until, times, cause: 'failure' } }
}

/** Whether nothing was done for a whole window before the newest operation, the backoff's own time aside. */
function isQuiet(state: State, backoff: Backoff, now: Instant, window: number): boolean {
  const previous = state.history[1]?.at ?? 0
  return now - Math.max(previous, backoff.until) > window
}

function doubled(base: number, times: number, max: number): number {
  return Math.min(max, base * 2 ** Math.min(times - 1, 30))
}
