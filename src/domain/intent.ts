import type { Instant } from '../clock.ts'
import { earliest, latest } from './decision.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Edge, Schedule } from './schedule/schedule.ts'
import type { Intent, Sleep } from './state.ts'
import { iso } from './text.ts'

/** Milliseconds: an intent from further ahead than this is ignored, since some clock is wrong. */
const CLOCK_SKEW = 5 * 60_000

function presentState({ state }: Reading): Sleep {
  return state.asleep ? 'asleep' : 'awake'
}

/** The intent that counts: not one from the future. */
export function currentIntent({ state: { intent } }: Reading, now: Instant): Intent | undefined {
  return intent && intent.at <= now + CLOCK_SKEW ? intent : undefined
}

/** When an intent from the future will count; undefined: there is no such intent. */
function intentCountsFrom({ state: { intent } }: Reading, now: Instant): Instant | undefined {
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
function authorOf({ trigger, by }: Intent): string {
  const what = trigger === 'manual' ? 'manual scaling' : 'request'
  return by === null ? what : `${what} of ${by}`
}

/** Which rule says what is wanted. */
export type DesiredBy = 'schedule' | 'intent' | 'until' | 'until passed' | 'grace' | 'nothing'

/** Whether the workload should run, by the latest intent and the schedule alone (design, section 4). */
export interface Desired {
  readonly want: Sleep
  readonly rule: DesiredBy
  readonly text: string
  /** When it became so; undefined: not by the clock. */
  readonly since: Instant | undefined
  /** When it may change if nobody asks for anything. */
  readonly next: Instant | undefined
  /** The intent to write along with the transition: an edge's. */
  readonly withTransition?: Intent
}

export function desired(reading: Reading, now: Instant, rules: Rules): Desired {
  const intent = currentIntent(reading, now)
  if (stillRuns(intent, now)) return byRunningIntent(intent)
  const desire = reading.schedule
    ? bySchedule(reading, reading.schedule, intent, now, rules)
    : withoutSchedule(reading, intent)
  return { ...desire, next: earliest(desire.next, intentCountsFrom(reading, now)) }
}

/** It holds through edges. */
function byRunningIntent(intent: Intent & { until: Instant }): Desired {
  const { want, until, at } = intent
  const text = `${want} by ${authorOf(intent)} until ${iso(until)}`
  return { want, rule: 'until', text, since: at, next: until }
}

/** Nothing is automatic, except that a passed `until` returns to the state before it. */
function withoutSchedule(reading: Reading, intent: Intent | undefined): Desired {
  const { scheduleFault } = reading
  const nextIsUnknown = { next: undefined }
  if (intent?.until !== undefined) {
    const ended = `the ${intent.want === 'asleep' ? 'snooze' : 'wake'} by ${authorOf(intent)} ended at ${iso(intent.until)}`
    const text = `${intent.before} again: ${ended}`
    return { want: intent.before, rule: 'until passed', text, since: intent.until, ...nextIsUnknown }
  }
  const present = presentState(reading)
  const removed = scheduleFault === undefined && intent?.trigger === 'schedule'
  if (removed && present === 'asleep') {
    const text = 'awake: its schedule was removed'
    return { want: 'awake', rule: 'schedule', text, since: undefined, ...nextIsUnknown }
  }
  const why =
    scheduleFault === undefined
      ? 'no schedule'
      : `the schedule is invalid, so nothing is automatic: ${scheduleFault}`
  const asked = intent && intent.trigger !== 'schedule' && intent.want === present
  const text = asked ? `${present} by ${authorOf(intent)}; ${why}` : `${present}; ${why}`
  return { want: present, rule: intent ? 'intent' : 'nothing', text, since: undefined, ...nextIsUnknown }
}

function bySchedule(
  reading: Reading,
  schedule: Schedule,
  intent: Intent | undefined,
  now: Instant,
  { policy }: Rules,
): Desired {
  const scheduled = schedule.stateAt(now)
  const next = schedule.nextEdge(now)?.at
  const byNow = `${scheduled} by schedule ${schedule.text} (${schedule.zone})`
  const text = next === undefined ? byNow : `${byNow} until ${iso(next)}`
  const graceEnd = reading.workload.createdAt + policy.newWorkloadGrace
  if (!intent && !reading.state.asleep && now < graceEnd) {
    const text = `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', rule: 'grace', text, since: undefined, next: graceEnd }
  }
  const edge = schedule.latestEdge(now)
  const passed = edge && (!intent || edge.at > intent.at) ? edge : undefined
  if (!intent || intent.trigger === 'schedule' || passed) {
    const formed = intent?.trigger === 'schedule' ? intent.at : undefined
    const since = latest(edge?.at, intent ? (intent.until ?? formed) : graceEnd)
    const withTransition = passed ? { withTransition: edgeIntent(reading, passed, now) } : {}
    return { want: scheduled, rule: 'schedule', text, since, next, ...withTransition }
  }
  const end = intent.until ?? intent.hold
  if (end !== undefined && end <= now)
    return { want: scheduled, rule: 'until passed', text, since: end, next }
  const last = earliest(next, intent.hold)
  const held = `${intent.want} by ${authorOf(intent)}${last === undefined ? '' : ` until ${iso(last)}`}`
  return { want: intent.want, rule: 'intent', text: held, since: intent.at, next: last }
}

/** Dated at the edge, not at the write. */
function edgeIntent(reading: Reading, { at, to }: Edge, now: Instant): Intent {
  return { ...newIntent(reading, now, { want: to, by: null, trigger: 'schedule' }), at }
}
