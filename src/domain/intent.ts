import type { Instant } from '../clock.ts'
import { credibleFrom, isCredible } from './decision-time.ts'
import { earliest } from './decision.ts'
import { ofSource } from './policy/settings.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import type { Edge, Schedule } from './schedule/schedule.ts'
import type { Intent, IntentTrigger, Sleep } from './state.ts'
import { iso } from './text.ts'

function presentState({ state }: Reading): Sleep {
  return state.asleep ? 'asleep' : 'awake'
}

/** The intent, unless it is dated in the future: then some clock was wrong. */
export function currentIntent({ state: { intent } }: Reading, now: Instant): Intent | undefined {
  return intent && isCredible(intent.at, now) ? intent : undefined
}

/** When an intent dated in the future will count; undefined: there is none. */
function intentCountsFrom(reading: Reading, now: Instant): Instant | undefined {
  const { intent } = reading.state
  return intent && intent !== currentIntent(reading, now) ? credibleFrom(intent.at) : undefined
}

/** Whether an intent's `for` still runs: then only a request or a manual wake replaces it. */
export function stillRuns(intent: Intent | undefined, now: Instant): intent is Intent & { until: Instant } {
  return intent?.until !== undefined && intent.until > now
}

/**
 * An intent formed now. It is dated after the current one even where this replica's clock lags behind the clock
 * that dated that one. It inherits `before` from an intent whose `until` still runs.
 */
export function newIntent(
  reading: Reading,
  now: Instant,
  asked: Pick<Intent, 'want' | 'by' | 'trigger' | 'until' | 'hold'>,
): Intent {
  const replaced = currentIntent(reading, now)
  const before = stillRuns(replaced, now) ? replaced.before : presentState(reading)
  return { ...asked, at: Math.max(now, (replaced?.at ?? 0) + 1), before }
}

/** Until when a wake without `for` lasts in hours of sleep, where there is a schedule to return to. */
export function wakeHold({ schedule }: Reading, now: Instant, { policy }: Rules): { hold?: Instant } {
  return schedule && policy.wakeHold !== null ? { hold: now + policy.wakeHold } : {}
}

/** What forms intents: its name in reasons, and whether a later change of the schedule outweighs such an intent. */
const FORMED_BY: Record<IntentTrigger, { readonly what: string; readonly automatic: boolean }> = {
  schedule: { what: 'schedule', automatic: true },
  api: { what: 'request', automatic: false },
  manual: { what: 'manual scaling', automatic: false },
}

/** Whether the schedule formed an intent, and not a request or a manual wake. */
export function isAutomatic({ trigger }: Intent): boolean {
  return FORMED_BY[trigger].automatic
}

/** What formed an intent and by whom, as reasons name it: `request of k8s:alice`. */
function authorOf({ trigger, by }: Intent): string {
  const { what } = FORMED_BY[trigger]
  return by === null ? what : `${what} of ${by}`
}

/** Which rule decides what is desired. */
export type DesiredBy = 'schedule' | 'intent' | 'until' | 'until passed' | 'grace' | 'nothing'

/** Whether the workload should run, by the latest intent and the schedule alone (design, section 4). */
export interface Desired {
  readonly want: Sleep
  readonly rule: DesiredBy
  readonly text: string
  /** The text tells what is wrong with the schedule. */
  readonly saysFault?: true
  /** When the clock made it so; undefined: something else did. */
  readonly since?: Instant
  /** When the clock may change it next; undefined: never. */
  readonly next?: Instant | undefined
  /** The edge's intent, to write along with the transition. */
  readonly withTransition?: { readonly intent: Intent } | undefined
}

export function desired(reading: Reading, now: Instant, rules: Rules): Desired {
  const intent = currentIntent(reading, now)
  if (stillRuns(intent, now)) return byRunningIntent(intent)
  const desire = reading.schedule
    ? bySchedule(reading, reading.schedule, intent, now, rules)
    : withoutSchedule(reading, intent)
  return { ...desire, next: earliest(desire.next, intentCountsFrom(reading, now)) }
}

/** An intent whose `until` still runs outlasts edges. */
function byRunningIntent(intent: Intent & { until: Instant }): Desired {
  const { want, until, at } = intent
  const text = `${want} by ${authorOf(intent)} until ${iso(until)}`
  return { want, rule: 'until', text, since: at, next: until }
}

/** Nothing is automatic, except that a passed `until` returns to the state before it. */
function withoutSchedule(reading: Reading, intent: Intent | undefined): Desired {
  const { scheduleFault } = reading
  if (intent?.until !== undefined) {
    const ended = `the ${intent.want === 'asleep' ? 'snooze' : 'wake'} by ${authorOf(intent)} ended at ${iso(intent.until)}`
    const text = `${intent.before} again: ${ended}`
    return { want: intent.before, rule: 'until passed', text, since: intent.until }
  }
  const present = presentState(reading)
  const removed = scheduleFault === undefined && intent !== undefined && isAutomatic(intent)
  if (removed && present === 'asleep') {
    const text = 'awake: its schedule was removed'
    return { want: 'awake', rule: 'schedule', text }
  }
  const why =
    scheduleFault === undefined
      ? 'no schedule'
      : `the schedule is invalid, so nothing is automatic: ${scheduleFault}`
  const asked = intent && !isAutomatic(intent) && intent.want === present
  const text = asked ? `${present} by ${authorOf(intent)}; ${why}` : `${present}; ${why}`
  return {
    want: present,
    rule: intent ? 'intent' : 'nothing',
    text,
    ...(scheduleFault === undefined ? {} : { saysFault: true }),
  }
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
  const byNow = `${scheduled} by schedule ${schedule.text} (${schedule.zone})${ofSource(reading.effective.sources.schedule)}`
  const text = next === undefined ? byNow : `${byNow} until ${iso(next)}`
  const graceEnd = reading.workload.createdAt + policy.newWorkloadGrace
  // One whose intent is ignored, since a wrong clock has dated it, is not new.
  const isNew = reading.state.intent === undefined
  if (isNew && !reading.state.asleep && now < graceEnd) {
    const text = `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', rule: 'grace', text, next: graceEnd }
  }
  const edge = schedule.latestEdge(now)
  const passed = edge && (!intent || edge.at > intent.at) ? edge : undefined
  if (!intent || isAutomatic(intent) || passed) {
    const formed = intent && isAutomatic(intent) ? intent.at : 0
    const since = Math.max(edge?.at ?? 0, intent ? (intent.until ?? formed) : isNew ? graceEnd : 0)
    const withTransition = passed && { intent: edgeIntent(reading, passed, now) }
    return { want: scheduled, rule: 'schedule', text, since, next, withTransition }
  }
  const end = intent.until ?? intent.hold ?? Number.POSITIVE_INFINITY
  if (end <= now) return { want: scheduled, rule: 'until passed', text, since: end, next }
  const last = earliest(next, intent.hold)
  const asked = `${intent.want} by ${authorOf(intent)}${last === undefined ? '' : ` until ${iso(last)}`}`
  return { want: intent.want, rule: 'intent', text: asked, since: intent.at, next: last }
}

/** Dated at the edge, not at the write. */
function edgeIntent(reading: Reading, { at, to }: Edge, now: Instant): Intent {
  return { ...newIntent(reading, now, { want: to, by: null, trigger: 'schedule' }), at }
}
