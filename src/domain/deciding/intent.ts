import type { Instant } from '../../service/process/clock.ts'
import { credibleFrom, isCredible } from './decision-time.ts'
import { earliest } from './decision.ts'
import { ofSource } from '../policy/settings.ts'
import { scheduleInForce, presentState, type ScheduleInForce } from './schedule-in-force.ts'
import type { Reading } from '../workload/reading.ts'
import type { Rules } from './rules.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { INTENT_TRIGGERS, isKnown, type Intent, type IntentTrigger } from '../workload/state.ts'
import { type Sleep } from '../schedule/schedule.ts'
import { iso } from '../text.ts'
import { ANNOTATION } from '../workload/workload.ts'

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

/** Whether the schedule formed an intent, and not a request or a manual wake; what a later release has added is one. */
export function isAutomatic({ trigger }: Intent): boolean {
  return isKnown(INTENT_TRIGGERS, trigger) && FORMED_BY[trigger].automatic
}

/** What formed an intent and by whom, as reasons name it: `request of k8s:alice`. */
export function authorOf({ trigger, by }: Intent): string {
  const what = isKnown(INTENT_TRIGGERS, trigger) ? FORMED_BY[trigger].what : trigger
  return by === null ? what : `${what} of ${by}`
}

/** Which rule decides what is desired. */
export type DesiredBy = 'schedule' | 'own hours' | 'intent' | 'until' | 'until passed' | 'grace' | 'nothing'

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
  const desire = wanted(reading, now, rules)
  return isByIntent(desire) ? { ...desire, text: `${desire.text}${effect(reading, desire, rules)}` } : desire
}

function isByIntent({ rule }: Desired): boolean {
  return rule === 'until' || rule === 'intent'
}

/** How many instants to look at for the next change: one comes of the intent's end, or of an edge or two after it. */
const LOOKS = 8

/** When what somebody asked for gives way to something else. The end of a request at which nothing happens is not told. */
function effect(reading: Reading, { want, next }: Desired, rules: Rules): string {
  let at = next
  for (let looks = 0; at !== undefined && looks < LOOKS; looks += 1) {
    const then = wanted(reading, at, rules)
    if (then.want !== want) return `; ${want === 'asleep' ? 'wakes' : 'sleeps'} ${iso(at)}`
    at = then.next
  }
  return reading.schedule || reading.scheduleFault !== undefined ? '' : '; no schedule'
}

function wanted(reading: Reading, now: Instant, rules: Rules): Desired {
  const intent = currentIntent(reading, now)
  if (stillRuns(intent, now)) return byRunningIntent(intent)
  const hours = scheduleInForce(reading, now)
  const desire = hours ? bySchedule(reading, hours, intent, now, rules) : withoutSchedule(reading, intent)
  return { ...desire, next: earliest(desire.next, intentCountsFrom(reading, now)) }
}

/** An intent whose `until` still runs outlasts edges. */
function byRunningIntent(intent: Intent & { until: Instant }): Desired {
  const { want, until, at } = intent
  return { want, rule: 'until', text: `${want} by ${authorOf(intent)}`, since: at, next: until }
}

/** Its `until` has passed, and it returns to the state before it. */
function endedText(intent: Intent, until: Instant): string {
  const what = intent.want === 'asleep' ? 'snooze' : 'wake'
  return `${intent.before} again: the ${what} by ${authorOf(intent)} ended at ${iso(until)}`
}

/** Nothing is automatic, except that a passed `until` returns to the state before it. */
function withoutSchedule(reading: Reading, intent: Intent | undefined): Desired {
  const { scheduleFault } = reading
  if (intent?.until !== undefined) {
    const text = endedText(intent, intent.until)
    return { want: intent.before, rule: 'until passed', text, since: intent.until }
  }
  const present = presentState(reading)
  const removed = scheduleFault === undefined && intent !== undefined && isAutomatic(intent)
  if (removed && present === 'asleep') {
    const text = 'awake: its schedule was removed'
    return { want: 'awake', rule: 'schedule', text }
  }
  const why = scheduleFault && `; the schedule is invalid, so nothing is automatic: ${scheduleFault}`
  const asked = intent && !isAutomatic(intent) && intent.want === present
  const text = asked ? `${present} by ${authorOf(intent)}` : present
  return {
    want: present,
    rule: intent ? 'intent' : 'nothing',
    text: `${text}${why ?? (intent ? '' : '; no schedule')}`,
    ...(scheduleFault === undefined ? {} : { saysFault: true }),
  }
}

function bySchedule(
  reading: Reading,
  hours: ScheduleInForce,
  intent: Intent | undefined,
  now: Instant,
  { policy }: Rules,
): Desired {
  const isSnooze = intent !== undefined && !isAutomatic(intent) && intent.want === 'asleep'
  const { latestEdge: edge, next } = isSnooze ? hours.snoozeEnds : hours
  const graceEnd = reading.workload.createdAt + policy.newWorkloadGrace
  // One whose intent is ignored, since a wrong clock has dated it, is not new.
  const isNew = reading.state.intent === undefined
  if (isNew && !reading.state.asleep && now < graceEnd) {
    const text = `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', rule: 'grace', text, next: graceEnd }
  }
  const passed = edge && (!intent || edge.at > intent.at) ? edge : undefined
  if (!intent || isAutomatic(intent) || passed) {
    if (hours.state === 'own') return asItIs(reading, hours)
    const formed = intent && isAutomatic(intent) ? intent.at : 0
    const since = Math.max(edge?.at ?? 0, intent ? (intent.until ?? formed) : isNew ? graceEnd : 0)
    const withTransition = passed && { intent: edgeIntent(reading, passed.at, hours.state, now) }
    return {
      want: hours.state,
      rule: 'schedule',
      text: textOf(reading, hours),
      since,
      next: hours.next,
      withTransition,
    }
  }
  const end = intent.until ?? intent.hold ?? Number.POSITIVE_INFINITY
  if (end <= now) return afterIntent(reading, hours, intent, end, now)
  return {
    want: intent.want,
    rule: 'intent',
    text: `${intent.want} by ${authorOf(intent)}`,
    since: intent.at,
    next: earliest(next, intent.hold),
  }
}

/** Its `until` or `hold` has passed, and no edge since it was formed. */
function afterIntent(
  reading: Reading,
  hours: ScheduleInForce,
  intent: Intent,
  end: Instant,
  now: Instant,
): Desired {
  const { state, next } = hours
  if (state !== 'own')
    return { want: state, rule: 'until passed', text: textOf(reading, hours), since: end, next }
  // A `hold` ends in hours of sleep alone: in its own hours what people woke stays awake.
  if (intent.until === undefined) return asItIs(reading, hours)
  // It ended before these hours began, which bring back nothing.
  const opened = hours.schedule.latestEdge(now)?.at ?? 0
  const began = Math.max(opened, ...reading.awakeUntil.filter((until) => until <= now))
  if (began > intent.until) return asItIs(reading, hours)
  return {
    want: intent.before,
    rule: 'until passed',
    text: endedText(intent, intent.until),
    since: end,
    next,
  }
}

/** Inside a window of a schedule that only puts to sleep: people wake what they need. */
function asItIs(reading: Reading, { schedule, next, nextEdge }: ScheduleInForce): Desired {
  const until = nextEdge === undefined ? '' : `, next at ${iso(nextEdge.at)}`
  const text = `${presentState(reading)}: schedule ${nameOf(reading, schedule)} only puts to sleep${until}`
  return { want: presentState(reading), rule: 'own hours', text, next }
}

function textOf(reading: Reading, { schedule, state, wakes, prolonged, nextEdge }: ScheduleInForce): string {
  if (prolonged) return `awake by ${ANNOTATION.awakeUntil}${nextEdge ? ` until ${iso(nextEdge.at)}` : ''}`
  const text = `${state} by schedule ${nameOf(reading, schedule)}`
  if (!wakes && state === 'asleep') return `${text}, which only puts to sleep`
  if (nextEdge && reading.awakeUntil.includes(nextEdge.at))
    return `${text}, then by ${ANNOTATION.awakeUntil} until ${iso(nextEdge.at)}`
  if (nextEdge) return `${text} until ${iso(nextEdge.at)}`
  return schedule.calendar === '' ? text : `${text}, for a year at least`
}

function nameOf({ effective }: Reading, { text, zone, calendar }: Schedule): string {
  const where = ofSource(effective.sources.schedule)
  return `${text} (${zone}${calendar === '' ? '' : `, calendar ${calendar}`})${where}`
}

/** Dated at the edge, not at the write. */
function edgeIntent(reading: Reading, at: Instant, want: Sleep, now: Instant): Intent {
  return { ...newIntent(reading, now, { want, by: null, trigger: 'schedule' }), at }
}
