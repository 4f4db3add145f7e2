import type { Instant } from '../../process/clock.ts'
import type { State } from '../workload/state.ts'

/** Milliseconds that replicas' clocks may differ by; a wrong clock wrote any date further ahead. */
const CLOCK_SKEW = 5 * 60_000
/** Milliseconds: intents of one moment are dated a millisecond apart, and that is no other clock. */
const MOMENT = 100

/** Whether a right clock may have dated it, though one that is ahead of ours. */
export function isCredible(at: Instant, now: Instant): boolean {
  return at <= now + CLOCK_SKEW
}

/** When an instant that is dated too far ahead becomes credible. */
export function credibleFrom(at: Instant): Instant {
  return at - CLOCK_SKEW
}

/**
 * The time to decide by: now, or when the state was last written, if that replica's clock is ahead of ours. So the next
 * leader does not undo decisions that were due by the other's clock.
 */
export function decisionTime({ intent, history, pin, override }: State, now: Instant): Instant {
  const written = [intent?.at, history[0]?.at, pin?.at, override?.at]
  const ahead = written.filter(
    (at) => at !== undefined && at > now + MOMENT && isCredible(at, now),
  ) as Instant[]
  return Math.max(now, ...ahead)
}
