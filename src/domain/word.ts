import type { Instant } from '../clock.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Sleep, Word } from './state.ts'

/** A word from further ahead than this is no word: some clock is wrong. */
const CLOCK_SKEW = 5 * 60_000

export function presentState({ state }: Reading): Sleep {
  return state.asleep ? 'asleep' : 'awake'
}

/** The word that counts: not one from the future. */
export function currentWord({ state: { word } }: Reading, now: Instant): Word | undefined {
  return word && word.at <= now + CLOCK_SKEW ? word : undefined
}

/** When a word from the future will count; undefined: there is no such word. */
export function wordCountsFrom({ state: { word } }: Reading, now: Instant): Instant | undefined {
  return word && word.at > now + CLOCK_SKEW ? word.at - CLOCK_SKEW : undefined
}

/** Whether a word's `for` still runs: then only a request or a manual wake replaces it. */
export function stillRuns(word: Word | undefined, now: Instant): word is Word & { until: Instant } {
  return word?.until !== undefined && word.until > now
}

/** The key of the schedule in force; while it cannot be read, that of the last one that could. */
export function scheduleInForce(reading: Reading, now: Instant): string | null {
  if (reading.schedule) return reading.schedule.key
  return reading.scheduleFault === undefined ? null : (currentWord(reading, now)?.schedule ?? null)
}

/** A word spoken now; `before` is inherited from a word that still ran. */
export function speak(
  reading: Reading,
  now: Instant,
  said: Pick<Word, 'want' | 'by' | 'trigger' | 'until' | 'hold'>,
): Word {
  const replaced = currentWord(reading, now)
  const before = replaced && stillRuns(replaced, now) ? replaced.before : presentState(reading)
  return { ...said, at: now, before, schedule: scheduleInForce(reading, now) }
}

/** How long a wake by hand holds in hours of sleep, where there is a schedule to return to. */
export function wakeHold({ schedule }: Reading, now: Instant, { policy }: Rules): { hold?: Instant } {
  return schedule && policy.wakeHold !== null ? { hold: now + policy.wakeHold } : {}
}

/** Who spoke a request's word or a manual wake's, as reasons name them. */
export function authorOf({ trigger, by }: Word): string {
  const what = trigger === 'manual' ? 'manual scaling' : 'request'
  return by === null ? what : `${what} of ${by}`
}
