import type { Instant } from '../../process/clock.ts'
import { credibleFrom } from './decision-time.ts'
import type { ReasonCode } from './decision.ts'
import { ofSource } from '../policy/settings.ts'
import { presentState, type Ends, type ScheduleInForce, type Situation } from './situation.ts'
import { withState, type Reading } from '../workload/reading.ts'
import type { Edge, Sleep } from '../schedule/schedule.ts'
import type { Intent, IntentTrigger } from '../workload/state.ts'
import type { ReasonValues } from '../workload/explanation.ts'
import { iso, isoOrNull } from '../text.ts'
import { ANNOTATION } from '../workload/workload.ts'

/** Whether an intent's `for` still runs: then only a request or a manual wake replaces it. */
export function stillRuns(intent: Intent | undefined, now: Instant): intent is Intent & { until: Instant } {
  return intent?.until !== undefined && intent.until > now
}

/**
 * An intent formed now. It is dated after the current one even where this replica's clock lags behind the clock
 * that dated that one. It inherits `before` from an intent whose `until` still runs.
 */
export function newIntent(
  { reading, now, intent: replaced }: Situation,
  asked: Pick<Intent, 'want' | 'by' | 'trigger' | 'until' | 'hold'>,
): Intent {
  const before = stillRuns(replaced, now) ? replaced.before : presentState(reading)
  return { ...asked, at: Math.max(now, (replaced?.at ?? 0) + 1), before }
}

/** Until when a wake without `for` lasts in hours of sleep, where there is a schedule to return to. */
export function wakeHold({ reading, now, rules }: Situation): { hold?: Instant } {
  const { wakeHold } = rules.policy
  return reading.schedule && wakeHold !== null ? { hold: now + wakeHold } : {}
}

/** The intent of whoever wakes a sleeper past Dormouse: by scaling it, by taking our key away, or by a deploy. */
export function manualWake(
  situation: Situation,
  by: string | null,
  trigger: 'manual' | 'deploy' = 'manual',
): Intent {
  return newIntent(situation, { want: 'awake', by, trigger, ...wakeHold(situation) })
}

/** Whether the schedule formed an intent, not a request or a manual wake; false for a later release's trigger. */
export function isAutomatic({ trigger }: Intent): boolean {
  return trigger === 'schedule'
}

/** By trigger: its name in reasons. The author of an intent that the schedule formed is in none. */
const FORMED_BY: ReadonlyMap<string, string> = new Map(
  Object.entries({ api: 'request', manual: 'manual scaling', deploy: 'deploy' } satisfies Record<
    Exclude<IntentTrigger, 'schedule'>,
    string
  >),
)

/** The cause and author of an intent, for reasons: `request of k8s:alice`. */
export function authorOf({ trigger, by }: Intent): string {
  const what = FORMED_BY.get(trigger) ?? trigger
  return by === null ? what : `${what} of ${by}`
}

interface RuleFacts {
  readonly code: ReasonCode
  /** Whether it is the latest intent that decides. */
  readonly isIntent: boolean
  /** Whether its sleep is a later cause than a wake request that still waits for the controller, and replaces it. */
  readonly isLater: boolean
}

/** The rules of which one decides the desired state. */
export const DESIRED_BY = {
  schedule: { code: 'schedule', isIntent: false, isLater: true },
  'own hours': { code: 'nothing_automatic', isIntent: false, isLater: true },
  intent: { code: 'intent', isIntent: true, isLater: false },
  until: { code: 'until', isIntent: true, isLater: false },
  'until passed': { code: 'until_passed', isIntent: false, isLater: true },
  grace: { code: 'grace', isIntent: false, isLater: false },
  nothing: { code: 'nothing_automatic', isIntent: false, isLater: false },
} as const satisfies Record<string, RuleFacts>
type DesiredBy = keyof typeof DESIRED_BY

/** Whether the workload should run, by the latest intent and the schedule alone. */
export interface Desired {
  readonly want: Sleep
  readonly rule: DesiredBy
  /** It begins with `want`. Computed on demand: finding the end of an intent searches the schedule. */
  readonly text: () => string
  /** The values in the text, computed on demand. */
  readonly values: () => ReasonValues
  /** The text says why there is no schedule: it has a fault, or is not known. */
  readonly saysFault?: true
  /** When the clock made it so; undefined: something else did. */
  readonly since?: Instant
  /** When the clock may change it next; undefined: never. */
  readonly next?: Instant | undefined
  /** When an intent that decides gives way, computed on demand; undefined: never. */
  readonly end?: () => Instant | undefined
  /** The edge's intent, to write along with the transition. */
  readonly withTransition?: { readonly intent: Intent } | undefined
}

export function desired(situation: Situation): Desired {
  const desire = wanted(situation)
  if (!DESIRED_BY[desire.rule].isIntent) return desire
  let found: { readonly end: Instant | undefined } | undefined
  const end = () => (found ??= { end: givesWay(situation, desire) }).end
  return {
    ...desire,
    end,
    text: () => `${desire.text()}${endText(situation.reading, desire.want, end())}`,
    values: () => ({ ...desire.values(), until: isoOrNull(end()) }),
  }
}

function endText(reading: Reading, want: Sleep, end: Instant | undefined): string {
  if (end !== undefined) return `; ${want === 'asleep' ? 'wakes' : 'sleeps'} ${iso(end)}`
  return reading.schedule || lacksHours(reading) ? '' : '; no schedule'
}

/** How many instants to look at for the next change: one comes of the intent's end, or of an edge or two after it. */
const LOOKS = 8

/** When the desired state changes, perhaps delayed by a backoff; ends of requests that change nothing do not count. */
function givesWay(situation: Situation, desired: Desired): Instant | undefined {
  const { backoff } = situation
  let { next } = desired
  for (let looks = 0; next !== undefined && looks < LOOKS; looks += 1) {
    const at = Math.max(next, backoff?.until ?? next)
    const then = wanted(situation.at(at))
    if (then.want !== desired.want) return at
    next = then.next
  }
  return undefined
}

function wanted(situation: Situation): Desired {
  const { reading, state, now, intent } = situation
  if (stillRuns(intent, now)) return byRunningIntent(intent)
  const { hours } = situation
  const desire = hours ? bySchedule(situation, hours, intent) : withoutSchedule(reading, intent)
  // When an intent dated in the future will count.
  const ahead = state.intent !== intent && state.intent ? credibleFrom(state.intent.at) : undefined
  return { ...desire, next: earliest(desire.next, ahead) }
}

/** An intent whose `until` still runs outlasts edges. */
function byRunningIntent(intent: Intent & { until: Instant }): Desired {
  const { want, until, at } = intent
  const text = () => `${want} by ${authorOf(intent)}`
  return { want, rule: 'until', text, values: () => valuesOf(intent), since: at, next: until }
}

/** Its `until` has passed, and it returns to the state before it. */
function endedText(intent: Intent, until: Instant): string {
  const what = intent.want === 'asleep' ? 'snooze' : 'wake'
  return `${intent.before} again: the ${what} by ${authorOf(intent)} ended at ${iso(until)}`
}

/** Nothing is automatic, except that a passed `until` restores the state before it. */
function withoutSchedule(reading: Reading, intent: Intent | undefined): Desired {
  if (intent?.until !== undefined) {
    const { before, until } = intent
    return {
      want: before,
      rule: 'until passed',
      text: () => endedText(intent, until),
      values: () => valuesOf(intent),
      since: until,
    }
  }
  const present = presentState(reading)
  const removed = !lacksHours(reading) && intent !== undefined && isAutomatic(intent)
  if (removed && present === 'asleep') {
    return {
      want: 'awake',
      rule: 'schedule',
      text: () => 'awake: its schedule was removed',
      values: () => ({}),
    }
  }
  const asked = intent && !isAutomatic(intent) && intent.want === present
  const text = () => {
    const none = intent ? '' : '; no schedule'
    return `${asked ? `${present} by ${authorOf(intent)}` : present}${whyNoHours(reading) ?? none}`
  }
  const saysFault = lacksHours(reading) ? ({ saysFault: true } as const) : {}
  const values = () => (asked ? valuesOf(intent) : {})
  return { want: present, rule: intent ? 'intent' : 'nothing', text, values, ...saysFault }
}

/** Whether it may have hours by which nothing can be decided here: they are invalid, or not known. */
function lacksHours({ scheduleFault, hoursUnknown }: Reading): boolean {
  return (scheduleFault ?? hoursUnknown) !== undefined
}

function whyNoHours({ scheduleFault, hoursUnknown }: Reading): string | undefined {
  if (hoursUnknown !== undefined) return `; ${unknownHoursText(hoursUnknown)}`
  return scheduleFault && `; the schedule is invalid, so nothing is automatic: ${scheduleFault}`
}

/** For reasons, behind what is known. */
export function unknownHoursText(why: string): string {
  return `its hours are not known here: ${why}`
}

function bySchedule(situation: Situation, hours: ScheduleInForce, intent: Intent | undefined): Desired {
  const { reading, state, now, rules } = situation
  const { latestEdge, next } = endsOf(hours, intent, now)
  const graceEnd = reading.workload.createdAt + rules.policy.newWorkloadGrace
  // An intent that is ignored because of a wrong clock is not new.
  const isNew = state.intent === undefined
  if (isNew && !state.asleep && now < graceEnd) {
    const text = () => `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', rule: 'grace', text, values: () => ({ until: iso(graceEnd) }), next: graceEnd }
  }
  const isPassed = latestEdge !== undefined && (!intent || latestEdge.at > intent.at)
  // The end of a request by its own hours moves it by those that are in force.
  const edge = isPassed ? later(latestEdge, hours.latestEdge) : latestEdge
  const passed = isPassed ? edge : undefined
  if (!intent || isAutomatic(intent) || passed) {
    if (hours.state === 'own') return asItIs(situation, hours)
    const formed = intent && isAutomatic(intent) ? intent.at : 0
    const since = Math.max(edge?.at ?? 0, intent ? (intent.until ?? formed) : isNew ? graceEnd : 0)
    const withTransition = passed && { intent: edgeIntent(situation, passed.at, hours.state) }
    const says = byHours(situation, hours)
    return { want: hours.state, rule: 'schedule', ...says, since, next: hours.next, withTransition }
  }
  const end = intent.until ?? intent.hold ?? Number.POSITIVE_INFINITY
  if (end <= now) return afterIntent(situation, hours, intent, end)
  return {
    want: intent.want,
    rule: 'intent',
    text: () => `${intent.want} by ${authorOf(intent)}`,
    values: () => valuesOf(intent),
    since: intent.at,
    next: earliest(next, intent.hold),
  }
}

/**
 * The edges that end an intent. A snooze, and a wake whose hold runs on, have those of the hours alone: the end of
 * awake-until ends only what that alone kept awake.
 */
export function endsOf(hours: ScheduleInForce, intent: Intent | undefined, now: Instant): Ends {
  if (!intent || isAutomatic(intent)) return hours
  return intent.want === 'asleep' || (intent.hold ?? 0) > now ? hours.requestEnds() : hours
}

function later(edge: Edge, other: Edge | undefined): Edge {
  return other && other.at > edge.at ? other : edge
}

/** Its `until` or `hold` has passed, and no edge since it was formed. */
function afterIntent(situation: Situation, hours: ScheduleInForce, intent: Intent, end: Instant): Desired {
  const { reading, now } = situation
  const { state, next } = hours
  const passed = { rule: 'until passed', since: end, next } as const
  if (state !== 'own') return { ...passed, want: state, ...byHours(situation, hours) }
  // A `hold` ends only in hours of sleep: in awake hours, a workload that people woke stays awake.
  const { until, before } = intent
  if (until === undefined) return asItIs(situation, hours)
  // It ended before these hours began, which bring back nothing. No awake-until is to come: that would wake.
  const opened = hours.schedule.latestEdge(now)?.at ?? 0
  const began = Math.max(opened, reading.awakeUntil ?? 0)
  if (began > until) return asItIs(situation, hours)
  return { ...passed, want: before, text: () => endedText(intent, until), values: () => valuesOf(intent) }
}

/** Inside a window of a schedule that only puts to sleep: people wake what they need. */
function asItIs(situation: Situation, hours: ScheduleInForce): Desired {
  const { next, nextEdge } = hours
  const want = presentState(situation.reading)
  const text = () => {
    const until = nextEdge === undefined ? '' : `, next at ${iso(nextEdge.at)}`
    return `${want}: schedule ${nameOf(situation, hours)} only puts to sleep${until}`
  }
  return { want, rule: 'own hours', text, values: () => hoursOf(situation, hours), next }
}

/** The author, the cause, and the latest end. */
function valuesOf({ want, by, trigger, until }: Intent): ReasonValues {
  return { want, by, trigger, until: isoOrNull(until) }
}

/** The schedule, its source, the event of a calendar by which its hours are others now, and its next edge. */
function hoursOf({ reading, now }: Situation, { schedule, nextEdge }: ScheduleInForce): ReasonValues {
  const { text, zone, calendar } = schedule
  const { schedule: source } = reading.effective.sources
  const event = schedule.eventAt(now)
  const named = event === undefined ? {} : { event }
  return { schedule: text, timezone: zone, calendar, ...named, source, until: isoOrNull(nextEdge?.at) }
}

function byHours(situation: Situation, hours: ScheduleInForce): Pick<Desired, 'text' | 'values'> {
  return { text: () => textOf(situation, hours), values: () => hoursOf(situation, hours) }
}

function textOf(situation: Situation, hours: ScheduleInForce): string {
  const { schedule, state, wakes, prolonged, nextEdge } = hours
  if (prolonged) return `awake by ${ANNOTATION.awakeUntil}${nextEdge ? ` until ${iso(nextEdge.at)}` : ''}`
  const text = `${state} by schedule ${nameOf(situation, hours)}`
  if (!wakes) return `${text}, which only puts to sleep`
  if (nextEdge && situation.reading.awakeUntil === nextEdge.at)
    return `${text}, then by ${ANNOTATION.awakeUntil} until ${iso(nextEdge.at)}`
  if (nextEdge) return `${text} until ${iso(nextEdge.at)}`
  return schedule.calendar === '' ? text : `${text}, for a year at least`
}

/** `8:00-18:00 (Europe/Berlin, calendar de-be: Christmas Day) of namespace shop`. */
function nameOf({ reading, now }: Situation, { schedule }: ScheduleInForce): string {
  const { text, zone, calendar } = schedule
  const where = ofSource(reading.effective.sources.schedule)
  const event = schedule.eventAt(now)
  const named = calendar === '' ? '' : `, calendar ${calendar}${event === undefined ? '' : `: ${event}`}`
  return `${text} (${zone}${named})${where}`
}

/** Dated at the edge, not at the write. */
function edgeIntent(situation: Situation, at: Instant, want: Sleep): Intent {
  return { ...newIntent(situation, { want, by: null, trigger: 'schedule' }), at }
}

/**
 * `after` with the intent that `by` forms by changing the schedule or the zone. An intent that a person formed
 * outlasts the removal of a schedule, and one whose `until` still runs outlasts any change.
 */
export function rescheduled(before: Situation, after: Reading, by: string | null): Reading {
  const { reading, intent, now } = before
  const { schedule, state } = after
  if (meansTheSame(reading, after) || lacksHours(after) || stillRuns(intent, now)) return after
  const asked = intent !== undefined && !isAutomatic(intent)
  if (!schedule && asked && desired(before).rule === 'intent') return after
  const is = before.with(after)
  const formed = newIntent(is, { want: is.scheduled ?? 'awake', by, trigger: 'schedule' })
  return withState(after, { ...state, intent: formed })
}

/** Whether two readings have equal schedules of their own, or none for the same reason. Calendars are another setting. */
export function meansTheSame(a: Reading, b: Reading): boolean {
  if (a.workload.annotations.schedule === b.workload.annotations.schedule && a.zone === b.zone) return true
  return weekly(a) === weekly(b) && a.scheduleFault === b.scheduleFault && a.hoursUnknown === b.hoursUnknown
}

function weekly({ schedule }: Reading): string | undefined {
  return schedule && `${schedule.text} ${schedule.zone}`
}

/** The earliest of the instants that exist. */
export function earliest(...instants: (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
