import type { Instant } from '../clock.ts'
import { earliest, latest } from './instants.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import { InvalidSchedule } from './schedule/syntax.ts'
import type { Edge, Schedule } from './schedule/schedule.ts'
import type { Sleep, Intent } from './state.ts'
import { iso } from './text.ts'
import {
  authorOf,
  currentIntent,
  presentState,
  scheduleInForce,
  newIntent,
  stillRuns,
  intentCountsFrom,
} from './intent.ts'

/** Which rule says what is wanted. */
export type WantedBy = 'schedule' | 'intent' | 'until' | 'until passed' | 'grace' | 'nothing'

/** Whether the workload should run, by the latest intent and the schedule alone (design, section 4). */
export interface Wanted {
  readonly want: Sleep
  readonly rule: WantedBy
  readonly text: string
  /** When it became so; undefined: not by the clock. */
  readonly since: Instant | undefined
  /** When it may change if nobody speaks. */
  readonly next: Instant | undefined
  /** The intent to write along with the transition: an edge's. */
  readonly withTransition?: Intent
  /** The intent to write in any case: a change of schedule. */
  readonly spoken?: Intent
}

export function wanted(reading: Reading, now: Instant, rules: Rules): Wanted {
  const intent = currentIntent(reading, now)
  if (stillRuns(intent, now)) return byRunningWord(reading, intent, now)
  const wish = reading.schedule
    ? bySchedule(reading, reading.schedule, intent, now, rules)
    : withoutSchedule(reading, intent, now, rules)
  return { ...wish, next: earliest(wish.next, intentCountsFrom(reading, now)) }
}

/**
 * What a removed schedule leaves behind: awake what it had put to sleep, and as it is what somebody asked
 * for. `reading` is without the schedule, its intent from when there was one.
 */
export function afterRemoval(reading: Reading, now: Instant, rules: Rules): Sleep {
  const intent = currentIntent(reading, now)
  const end = intent?.until ?? intent?.hold
  if (!intent || intent.trigger === 'schedule' || (end !== undefined && end <= now)) return 'awake'
  const edge = formerSchedule(intent, rules)?.latestEdge(now)
  return edge && edge.at > intent.at ? 'awake' : presentState(reading)
}

/** It holds through edges; a schedule that changed meanwhile is only taken note of. */
function byRunningWord(reading: Reading, intent: Intent & { until: Instant }, now: Instant): Wanted {
  const { want, until, at } = intent
  const schedule = scheduleInForce(reading, now)
  return {
    want,
    rule: 'until',
    text: `${want} by ${authorOf(intent)} until ${iso(until)}`,
    since: at,
    next: until,
    ...(schedule === intent.schedule ? {} : { spoken: { ...intent, schedule } }),
  }
}

function withoutSchedule(reading: Reading, intent: Intent | undefined, now: Instant, rules: Rules): Wanted {
  const { scheduleFault } = reading
  const present = presentState(reading)
  const removed = scheduleFault === undefined && intent !== undefined && intent.schedule !== null
  if (removed) {
    const want = afterRemoval(reading, now, rules)
    const spoken = newIntent(reading, now, { want, by: null, trigger: 'schedule' })
    return { ...byRemoval(want), since: now, spoken }
  }
  if (intent?.until !== undefined) {
    const ended = `the ${intent.want === 'asleep' ? 'snooze' : 'wake'} by ${authorOf(intent)} ended at ${iso(intent.until)}`
    const text = `${intent.before} again: ${ended}`
    return { want: intent.before, rule: 'until passed', text, since: intent.until, next: undefined }
  }
  // A pin, an override or a backoff may have kept a removed schedule from waking it at once.
  const woken = intent?.trigger === 'schedule' && intent.want === 'awake' && intent.before === 'asleep'
  if (scheduleFault === undefined && woken) return { ...byRemoval('awake'), since: intent.at }
  const why =
    scheduleFault === undefined
      ? 'no schedule'
      : `the schedule is invalid, so nothing is automatic: ${scheduleFault}`
  const asked = intent && intent.trigger !== 'schedule' && intent.want === present
  const text = asked ? `${present} by ${authorOf(intent)}; ${why}` : `${present}; ${why}`
  return { want: present, rule: intent ? 'intent' : 'nothing', text, since: undefined, next: undefined }
}

function byRemoval(want: Sleep): Pick<Wanted, 'want' | 'rule' | 'text' | 'next'> {
  return { want, rule: 'schedule', text: `${want}: its schedule was removed`, next: undefined }
}

function bySchedule(
  reading: Reading,
  schedule: Schedule,
  intent: Intent | undefined,
  now: Instant,
  { policy }: Rules,
): Wanted {
  const scheduled = schedule.stateAt(now)
  const next = schedule.nextEdge(now)?.at
  const byNow = `${scheduled} by schedule ${schedule.text} (${schedule.zone})`
  const text = next === undefined ? byNow : `${byNow} until ${iso(next)}`
  if (intent && intent.schedule !== schedule.key) {
    const spoken = newIntent(reading, now, { want: scheduled, by: null, trigger: 'schedule' })
    return { want: scheduled, rule: 'schedule', text, since: now, next, spoken }
  }
  const graceEnd = reading.workload.createdAt + policy.newWorkloadGrace
  if (!intent && now < graceEnd) {
    const text = `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', rule: 'grace', text, since: undefined, next: graceEnd }
  }
  const edge = schedule.latestEdge(now)
  if (!intent || (edge && edge.at > intent.at)) {
    const since = latest(edge?.at, intent ? intent.until : graceEnd)
    const withTransition = edge ? { withTransition: edgeIntent(reading, edge, now) } : {}
    return { want: scheduled, rule: 'schedule', text, since, next, ...withTransition }
  }
  const end = intent.until ?? intent.hold
  if (end !== undefined && end <= now)
    return { want: scheduled, rule: 'until passed', text, since: end, next }
  const last = earliest(next, intent.hold)
  if (intent.trigger === 'schedule')
    return { want: intent.want, rule: 'schedule', text, since: intent.at, next: last }
  const held = `${intent.want} by ${authorOf(intent)}${last === undefined ? '' : ` until ${iso(last)}`}`
  return { want: intent.want, rule: 'intent', text: held, since: intent.at, next: last }
}

/** An edge's own instant is its intent's, however late it was acted on. */
function edgeIntent(reading: Reading, { at, to }: Edge, now: Instant): Intent {
  return { ...newIntent(reading, now, { want: to, by: null, trigger: 'schedule' }), at }
}

/** The schedule that was in force when the intent was spoken: its key is text and zone. */
function formerSchedule({ schedule }: Intent, { compile }: Rules): Schedule | undefined {
  const [text = '', zone = ''] = schedule?.split(' ') ?? []
  try {
    return text === '' ? undefined : compile(text, zone)
  } catch (error) {
    if (error instanceof InvalidSchedule) return undefined
    throw error
  }
}
