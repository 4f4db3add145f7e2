import type { Instant } from '../clock.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Sleep, Intent } from './state.ts'

/** An intent from further ahead than this is no intent: some clock is wrong. */
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

/** The key of the schedule in force; while it cannot be read, that of the last one that could. */
export function scheduleInForce(reading: Reading, now: Instant): string | null {
  if (reading.schedule) return reading.schedule.key
  return reading.scheduleFault === undefined ? null : (currentIntent(reading, now)?.schedule ?? null)
}

/** An intent spoken now; `before` is inherited from an intent that still ran. */
export function newIntent(
  reading: Reading,
  now: Instant,
  said: Pick<Intent, 'want' | 'by' | 'trigger' | 'until' | 'hold'>,
): Intent {
  const replaced = currentIntent(reading, now)
  const before = replaced && stillRuns(replaced, now) ? replaced.before : presentState(reading)
  return { ...said, at: now, before, schedule: scheduleInForce(reading, now) }
}

/** How long a wake by hand holds in hours of sleep, where there is a schedule to return to. */
export function wakeHold({ schedule }: Reading, now: Instant, { policy }: Rules): { hold?: Instant } {
  return schedule && policy.wakeHold !== null ? { hold: now + policy.wakeHold } : {}
}

/** Who spoke a request's intent or a manual wake's, as reasons name them. */
export function authorOf({ trigger, by }: Intent): string {
  const what = trigger === 'manual' ? 'manual scaling' : 'request'
  return by === null ? what : `${what} of ${by}`
}
