import { textForPeople, withoutPrefixes } from '../../domain/workload/author.ts'
import type { OperationResult } from '../../domain/workload/state.ts'
import type { Trigger } from '../../domain/workload/trigger.ts'
import type { Workload } from './record.ts'

const DAY = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** A formatter that is made once: making one takes longer than a hundred uses. */
export function format(options: Intl.DateTimeFormatOptions, timeZone?: string): Intl.DateTimeFormat {
  const id = JSON.stringify([options, timeZone])
  let known = formats.get(id)
  if (!known) {
    known = formatIn(timeZone, options)
    formats.set(id, known)
  }
  return known
}

/** A workload may name anything as its zone: then its clocks are those of UTC, as the service takes them. */
function formatIn(timeZone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, ...(timeZone !== undefined && { timeZone }) })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  }
}

export const TIME: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
export const DATE: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' }

/** `18:00` today, `Sat 18:00` within six days, else `Mon 24 Nov, 18:00`, in the reader's own zone. */
export function shortTime(at: number, now: number): string {
  const time = format(TIME).format(at)
  const day = format(DATE).format(at)
  if (day === format(DATE).format(now)) return time
  if (day === format(DATE).format(now + DAY)) return `tomorrow, ${time}`
  if (at > now && at < now + 6 * DAY) return `${format({ weekday: 'short' }).format(at)} ${time}`
  return `${day}, ${time}`
}

/** `2 h 5 min`, `3 days`. */
export function duration(milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000))
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.round(hours / 24)} days`
}

/** `in 5 min`, `5 min ago`; an instant while the page draws may be slightly ahead of `now`. */
export function relative(at: number, now: number): string {
  if (Math.abs(at - now) < 60_000) return 'just now'
  return at >= now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** The person, without the prefix that tells how they signed in: the title of a name tells it. */
export function person(by: string | null): string {
  return by === null ? 'Dormouse' : withoutPrefixes(by)
}

/** The reason of a workload's state for people, without calls to end it: the buttons do that. */
export function reasonOf({ reason, reason_code: code }: Workload, now: number): string {
  return code === 'not_managed' ? 'Dormouse leaves it alone' : localised(reason, now)
}

/**
 * The end of the wait of a workload that was switched too often, or whose change the cluster refused; a wake is never
 * refused.
 */
export function waitOf(workload: Workload, now: number): string | undefined {
  const { backoff_until: until, held_by: holder, reason_values: values } = workload
  if (holder !== 'backoff' || until === null) return undefined
  const end = shortTime(Date.parse(until), now)
  if (values['cause'] === 'failure')
    return `The cluster refused the last change: the next try is at ${end}. A click tries at once.`
  return `Switched too often: its schedule and Snooze wait until ${end}. Wake works at once.`
}

/** A text of the service, with its instants, which are in UTC there, as the reader's own time, and names as people have them. */
export function localised(text: string, now: number): string {
  return textForPeople(text, (at) => shortTime(at, now))
}

type Operation = Pick<Workload['operation_history'][number], 'trigger' | 'result'>

const TRIGGERS = wordsOf<Trigger>({
  schedule: 'by schedule',
  api: 'by request',
  manual: 'scaled by hand',
  deploy: 'deployed',
  pin: 'to keep its pin',
  disable: 'as it was left alone',
  recovery: 'to put it right',
  unsigned: 'its state was not signed',
})
const RESULTS = wordsOf<Exclude<OperationResult, 'succeeded'>>({
  running: 'pods are following',
  failed: 'failed',
  timed_out: 'pods came too late',
  superseded: 'the opposite came meanwhile',
})

/** To look up what a later release may not have in it. */
function wordsOf<Name extends string>(words: Readonly<Record<Name, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(words))
}

/** How an operation came about, and its result unless it succeeded; a later release's words as they are. */
export function howOf({ trigger, result }: Operation): string {
  const how = TRIGGERS.get(trigger) ?? `by ${trigger}`
  return [how, ...(result === 'succeeded' ? [] : [RESULTS.get(result) ?? result])].join(', ')
}
