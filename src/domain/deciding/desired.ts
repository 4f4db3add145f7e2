import { earliest, type Instant } from '../../process/clock.ts'
import type { Sleep } from '../schedule/schedule.ts'
import { iso, isoOrNull } from '../text.ts'
import type { ReasonValues } from '../workload/explanation.ts'
import type { Reading } from '../workload/reading.ts'
import { pendingWake, presentState, type Intent } from '../workload/state.ts'
import { authorOf, outweighsSchedule } from '../workload/trigger.ts'
import { credibleFrom } from './decision-time.ts'
import type { ReasonCode } from './decision.ts'
import {
  edgesThatEnd,
  hoursName,
  hoursText,
  hoursValues,
  lacksHours,
  unknownHoursText,
  type Hours,
} from './hours.ts'
import { stillRuns } from './intent.ts'
import type { Situation } from './situation.ts'

/** Whether the workload should run, by the latest intent and the schedule alone. */
export interface Desired {
  readonly want: Sleep
  readonly code: ReasonCode
  /** Whether the latest intent decides. */
  readonly byIntent?: true
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
  /** The latest edge, where no intent is of a later time: a transition writes the edge's own. */
  readonly edge?: Instant | undefined
}

export function desired(situation: Situation): Desired {
  const desire = wanted(situation)
  if (!desire.byIntent) return desire
  let found: { readonly end: Instant | undefined } | undefined
  const end = () => (found ??= { end: endOf(desire, situation) }).end
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
function endOf({ want, next }: Desired, situation: Situation): Instant | undefined {
  const { backoff } = situation
  let look = next
  for (let looks = 0; look !== undefined && looks < LOOKS; looks += 1) {
    const at = Math.max(look, backoff?.until ?? look)
    const then = wanted(situation.at(at))
    if (then.want !== want) return at
    look = then.next
  }
  return undefined
}

/** By rank: an intent whose `until` runs, which outlasts edges; then hours and the latest intent. */
function wanted(situation: Situation): Desired {
  const { state, now, intent, hours } = situation
  if (stillRuns(intent, now)) return byIntent(intent, 'until', intent.until)
  const desire = hours ? bySchedule(situation, hours) : withoutSchedule(situation)
  // When an intent dated in the future will count.
  const ahead = state.intent !== intent && state.intent ? credibleFrom(state.intent.at) : undefined
  return { ...desire, next: earliest(desire.next, ahead) }
}

function byIntent(intent: Intent, code: 'until' | 'intent', next: Instant | undefined): Desired {
  const { want, at } = intent
  const text = () => `${want} by ${authorOf(intent)}`
  return { want, code, byIntent: true, text, values: () => valuesOf(intent), since: at, next }
}

/** Its `until` has passed: it returns to the state before it. */
function returned(intent: Intent, until: Instant, next?: Instant): Desired {
  const { before, want } = intent
  const what = want === 'asleep' ? 'snooze' : 'wake'
  const text = () => `${before} again: the ${what} by ${authorOf(intent)} ended at ${iso(until)}`
  return { want: before, code: 'until_passed', text, values: () => valuesOf(intent), since: until, next }
}

/** Nothing is automatic, except that a passed `until` restores the state before it. */
function withoutSchedule({ reading, state, intent }: Situation): Desired {
  if (intent?.until !== undefined) return returned(intent, intent.until)
  const want = pendingWake(state) ? 'awake' : presentState(state)
  const isAsked = intent !== undefined && outweighsSchedule(intent)
  const isUnknown = lacksHours(reading)
  if (intent && !isAsked && !isUnknown && want === 'asleep')
    return {
      want: 'awake',
      code: 'schedule',
      text: () => 'awake: its schedule was removed',
      values: () => ({}),
    }
  const decides = isAsked && intent.want === want ? intent : undefined
  const text = () => {
    const none = intent ? '' : '; no schedule'
    return `${want}${decides ? ` by ${authorOf(decides)}` : ''}${whyNoHours(reading) ?? none}`
  }
  return {
    want,
    ...(intent ? { code: 'intent', byIntent: true } : { code: 'nothing_automatic' }),
    text,
    values: () => (decides ? valuesOf(decides) : {}),
    ...(isUnknown ? { saysFault: true } : {}),
  }
}

function whyNoHours({ scheduleFault, hoursUnknown }: Reading): string | undefined {
  if (hoursUnknown !== undefined) return `; ${unknownHoursText(hoursUnknown)}`
  return scheduleFault && `; the schedule is invalid, so nothing is automatic: ${scheduleFault}`
}

function bySchedule(situation: Situation, hours: Hours): Desired {
  const { reading, state, now, rules, intent } = situation
  const graceEnd = reading.workload.createdAt + rules.policy.newWorkloadGrace
  // An intent that is ignored because of a wrong clock is not new.
  const isNew = state.intent === undefined
  if (isNew && !state.asleep && now < graceEnd) {
    const text = () => `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', code: 'grace', text, values: () => ({ until: iso(graceEnd) }), next: graceEnd }
  }
  const { latestEdge, next } = edgesThatEnd(intent, hours)
  const isPassed = latestEdge !== undefined && (!intent || latestEdge.at > intent.at)
  const asked = intent && outweighsSchedule(intent) ? intent : undefined
  if (asked && !isPassed) {
    const end = asked.until ?? asked.hold ?? Number.POSITIVE_INFINITY
    return end > now
      ? byIntent(asked, 'intent', earliest(next, asked.hold))
      : afterIntent(situation, hours, asked, end)
  }
  if (hours.state === 'own') return asItIs(situation, hours)
  // An edge that ended a request moves it by the hours in force, whose latest edge may be later.
  const latest = isPassed ? Math.max(latestEdge.at, hours.latestEdge?.at ?? 0) : latestEdge?.at
  const start = intent ? (intent.until ?? (asked ? 0 : intent.at)) : isNew ? graceEnd : 0
  const since = Math.max(latest ?? 0, start)
  return { ...byHours(hours, hours.state), code: 'schedule', since, ...(isPassed && { edge: latest }) }
}

/** Its `until` or `hold` has passed, and no edge since it was formed. */
function afterIntent(situation: Situation, hours: Hours, intent: Intent, end: Instant): Desired {
  const { until } = intent
  const { state, schedule, awakeUntil, now, next } = hours
  if (state !== 'own') return { ...byHours(hours, state), code: 'until_passed', since: end }
  // A `hold` ends only in hours of sleep: in awake hours, a workload that people woke stays awake.
  if (until === undefined) return asItIs(situation, hours)
  // It ended before these hours began, which bring back nothing. No awake-until is to come: that would wake.
  const began = Math.max(schedule.latestEdge(now)?.at ?? 0, awakeUntil ?? 0)
  return began > until ? asItIs(situation, hours) : returned(intent, until, next)
}

/** Inside a window of a schedule that only puts to sleep: people wake what they need. */
function asItIs({ state }: Situation, hours: Hours): Desired {
  const { next, nextEdge } = hours
  const want = presentState(state)
  const text = () => {
    const until = nextEdge === undefined ? '' : `, next at ${iso(nextEdge.at)}`
    return `${want}: schedule ${hoursName(hours)} only puts to sleep${until}`
  }
  return { want, code: 'nothing_automatic', text, values: () => hoursValues(hours), next }
}

function byHours(hours: Hours, want: Sleep): Pick<Desired, 'want' | 'text' | 'values' | 'next'> {
  return { want, text: () => hoursText(hours), values: () => hoursValues(hours), next: hours.next }
}

/** The author, the cause, and the latest end. */
function valuesOf({ want, by, trigger, until }: Intent): ReasonValues {
  return { want, by, trigger, until: isoOrNull(until) }
}
