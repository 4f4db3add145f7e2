import type { Instant } from '../clock.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Intent, Sleep } from './state.ts'

/** Milliseconds: an intent from further ahead than this is ignored, since some clock is wrong. */
const CLOCK_SKEW = 5 * 60_000

export function presentState({ state }: Reading): Sleep {
  return state.asleep ? 'asleep' : 'awake'
}

/** The intent that counts: not one from the future. */
export function currentIntent({ state: { intent } }: Reading, now: Instant): Intent | undefined {
  return intent && intent.at <= now + CLOCK_SKEW ? intent : undefined
}

/** When an intent from the future will count; undefined: there is no such intent. */
export function intentCountsFrom({ state: { intent } }: Reading, now: Instant): Instant | undefined {
  return intent && intent.at > now + CLOCK_SKEW ? intent.at - CLOCK_SKEW : undefined
}

/** Whether an intent's `for` still runs: then only a request or a manual wake replaces it. */
export function stillRuns(intent: Intent | undefined, now: Instant): intent is Intent & { until: Instant } {
  return intent?.until !== undefined && intent.until > now
}

/**
 * An intent formed now. Its `at` is later than that of the one that counts, so that a replica whose clock lags
 * cannot ask in the past; its `before` is inherited from one whose `until` still runs.
 */
export function newIntent(
  reading: Reading,
  now: Instant,
  asked: Pick<Intent, 'want' | 'by' | 'trigger' | 'until' | 'hold'>,
): Intent {
  const replaced = currentIntent(reading, now)
  const before = replaced && stillRuns(replaced, now) ? replaced.before : presentState(reading)
  return { ...asked, at: Math.max(now, (replaced?.at ?? 0) + 1), before }
}

/** How long a wake by hand or by request holds in hours of sleep, where there is a schedule to return to. */
export function wakeHold({ schedule }: Reading, now: Instant, { policy }: Rules): { hold?: Instant } {
  return schedule && policy.wakeHold !== null ? { hold: now + policy.wakeHold } : {}
}

/** Who asked, by request or by hand, as reasons name them. */
export function authorOf({ trigger, by }: Intent): string {
  const what = trigger === 'manual' ? 'manual scaling' : 'request'
  return by === null ? what : `${what} of ${by}`
}
