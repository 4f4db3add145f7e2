import type { Instant } from '../clock.ts'
import { earliest, latest } from './instants.ts'
import type { Reading } from './reading.ts'
import type { Rules } from './rules.ts'
import { InvalidSchedule } from './schedule/syntax.ts'
import type { Edge, Schedule } from './schedule/schedule.ts'
import type { Sleep, Word } from './state.ts'
import { iso } from './text.ts'
import {
  authorOf,
  currentWord,
  presentState,
  scheduleInForce,
  speak,
  stillRuns,
  wordCountsFrom,
} from './word.ts'

/** Which rule says what is wanted. */
export type WantedBy = 'schedule' | 'word' | 'until' | 'until passed' | 'grace' | 'nothing'

/** Whether the workload should run, by the latest word and the schedule alone (design, section 4). */
export interface Wanted {
  readonly want: Sleep
  readonly rule: WantedBy
  readonly text: string
  /** When it became so; undefined: not by the clock. */
  readonly since: Instant | undefined
  /** When it may change if nobody speaks. */
  readonly next: Instant | undefined
  /** The word to write along with the transition: an edge's. */
  readonly withTransition?: Word
  /** The word to write in any case: a change of schedule. */
  readonly spoken?: Word
}

export function wanted(reading: Reading, now: Instant, rules: Rules): Wanted {
  const word = currentWord(reading, now)
  if (stillRuns(word, now)) return byRunningWord(reading, word, now)
  const wish = reading.schedule
    ? bySchedule(reading, reading.schedule, word, now, rules)
    : withoutSchedule(reading, word, now, rules)
  return { ...wish, next: earliest(wish.next, wordCountsFrom(reading, now)) }
}

/**
 * What a removed schedule leaves behind: awake what it had put to sleep, and as it is what somebody asked
 * for. `reading` is without the schedule, its word from when there was one.
 */
export function afterRemoval(reading: Reading, now: Instant, rules: Rules): Sleep {
  const word = currentWord(reading, now)
  const end = word?.until ?? word?.hold
  if (!word || word.trigger === 'schedule' || (end !== undefined && end <= now)) return 'awake'
  const edge = formerSchedule(word, rules)?.latestEdge(now)
  return edge && edge.at > word.at ? 'awake' : presentState(reading)
}

/** It holds through edges; a schedule that changed meanwhile is only taken note of. */
function byRunningWord(reading: Reading, word: Word & { until: Instant }, now: Instant): Wanted {
  const { want, until, at } = word
  const schedule = scheduleInForce(reading, now)
  return {
    want,
    rule: 'until',
    text: `${want} by ${authorOf(word)} until ${iso(until)}`,
    since: at,
    next: until,
    ...(schedule === word.schedule ? {} : { spoken: { ...word, schedule } }),
  }
}

function withoutSchedule(reading: Reading, word: Word | undefined, now: Instant, rules: Rules): Wanted {
  const { scheduleFault } = reading
  const present = presentState(reading)
  const removed = scheduleFault === undefined && word !== undefined && word.schedule !== null
  if (removed) {
    const want = afterRemoval(reading, now, rules)
    const spoken = speak(reading, now, { want, by: null, trigger: 'schedule' })
    return { ...byRemoval(want), since: now, spoken }
  }
  if (word?.until !== undefined) {
    const ended = `the ${word.want === 'asleep' ? 'snooze' : 'wake'} by ${authorOf(word)} ended at ${iso(word.until)}`
    const text = `${word.before} again: ${ended}`
    return { want: word.before, rule: 'until passed', text, since: word.until, next: undefined }
  }
  // A pin, an override or a backoff may have kept a removed schedule from waking it at once.
  const woken = word?.trigger === 'schedule' && word.want === 'awake' && word.before === 'asleep'
  if (scheduleFault === undefined && woken) return { ...byRemoval('awake'), since: word.at }
  const why =
    scheduleFault === undefined
      ? 'no schedule'
      : `the schedule is invalid, so nothing is automatic: ${scheduleFault}`
  const asked = word && word.trigger !== 'schedule' && word.want === present
  const text = asked ? `${present} by ${authorOf(word)}; ${why}` : `${present}; ${why}`
  return { want: present, rule: word ? 'word' : 'nothing', text, since: undefined, next: undefined }
}

function byRemoval(want: Sleep): Pick<Wanted, 'want' | 'rule' | 'text' | 'next'> {
  return { want, rule: 'schedule', text: `${want}: its schedule was removed`, next: undefined }
}

function bySchedule(
  reading: Reading,
  schedule: Schedule,
  word: Word | undefined,
  now: Instant,
  { policy }: Rules,
): Wanted {
  const scheduled = schedule.stateAt(now)
  const next = schedule.nextEdge(now)?.at
  const byNow = `${scheduled} by schedule ${schedule.text} (${schedule.zone})`
  const text = next === undefined ? byNow : `${byNow} until ${iso(next)}`
  if (word && word.schedule !== schedule.key) {
    const spoken = speak(reading, now, { want: scheduled, by: null, trigger: 'schedule' })
    return { want: scheduled, rule: 'schedule', text, since: now, next, spoken }
  }
  const graceEnd = reading.workload.createdAt + policy.newWorkloadGrace
  if (!word && now < graceEnd) {
    const text = `awake: new workloads run until ${iso(graceEnd)}`
    return { want: 'awake', rule: 'grace', text, since: undefined, next: graceEnd }
  }
  const edge = schedule.latestEdge(now)
  if (!word || (edge && edge.at > word.at)) {
    const since = latest(edge?.at, word ? word.until : graceEnd)
    const withTransition = edge ? { withTransition: edgeWord(reading, edge, now) } : {}
    return { want: scheduled, rule: 'schedule', text, since, next, ...withTransition }
  }
  const end = word.until ?? word.hold
  if (end !== undefined && end <= now)
    return { want: scheduled, rule: 'until passed', text, since: end, next }
  const last = earliest(next, word.hold)
  if (word.trigger === 'schedule')
    return { want: word.want, rule: 'schedule', text, since: word.at, next: last }
  const held = `${word.want} by ${authorOf(word)}${last === undefined ? '' : ` until ${iso(last)}`}`
  return { want: word.want, rule: 'word', text: held, since: word.at, next: last }
}

/** An edge's own instant is its word's, however late it was acted on. */
function edgeWord(reading: Reading, { at, to }: Edge, now: Instant): Word {
  return { ...speak(reading, now, { want: to, by: null, trigger: 'schedule' }), at }
}

/** The schedule that was in force when the word was spoken: its key is text and zone. */
function formerSchedule({ schedule }: Word, { compile }: Rules): Schedule | undefined {
  const [text = '', zone = ''] = schedule?.split(' ') ?? []
  try {
    return text === '' ? undefined : compile(text, zone)
  } catch (error) {
    if (error instanceof InvalidSchedule) return undefined
    throw error
  }
}
