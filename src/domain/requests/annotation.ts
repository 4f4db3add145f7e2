import type { Instant } from '../../service/process/clock.ts'
import { A_DURATION, durationIn, durationText, unitAdvice } from '../schedule/duration.ts'
import { nearestName } from '../nearest.ts'
import { ANNOTATION, MAX_REPLICAS } from '../workload/workload.ts'

/** The annotation by which people ask for something with kubectl alone; it is taken out of the write that brings it. */
export const REQUEST_ANNOTATION = ANNOTATION.request

/** What can be asked for, and what may follow the verb; adopt: the count that another tool keeps. */
const TAKES = {
  wake: 'duration',
  snooze: 'duration',
  'force-snooze': 'duration',
  pin: 'nothing',
  unpin: 'nothing',
  override: 'duration',
  resume: 'nothing',
  adopt: 'count',
} as const
export type Verb = keyof typeof TAKES
export const VERBS = Object.keys(TAKES) as readonly Verb[]

/** A request as the annotation has it: `wake 4h @2026-11-24T18:00:00.000Z`. */
export interface WrittenRequest {
  readonly verb: Verb
  /** Milliseconds, in whole seconds; of wake, snooze, force-snooze and override. */
  readonly duration?: number
  /** The replicas to wake to; of adopt. */
  readonly count?: number
  /** When it was asked: the same text with the same time is the same request, sent again. */
  readonly at?: Instant
}

/** A text that is no request: the message says what to type. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest'
}

/** Characters; the longest that means anything has some 60. */
const LONGEST = 128
const A_REQUEST = `one of ${VERBS.join(', ')}`
const A_TIME = 'a time with an offset after @, such as @2026-11-24T18:00:00Z'
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i

/**
 * Reads `<verb> [<duration>] [@<RFC 3339>]`, with any white space between.
 * @throws InvalidRequest
 */
export function parseRequest(text: string): WrittenRequest {
  if (text.length > LONGEST)
    throw new InvalidRequest(`expected ${A_REQUEST}, found a text of ${text.length} characters`)
  const [name = '', ...rest] = text.trim().split(/\s+/)
  const verb = verbNamed(name)
  const last = rest.at(-1)
  const at = last?.startsWith('@') ? { at: timeOf(last) } : {}
  const [value, ...more] = last?.startsWith('@') ? rest.slice(0, -1) : rest
  const asked = { verb, ...valueOf(verb, value), ...at }
  if (more.length > 0) throw new InvalidRequest(`nothing can follow '${verb} ${value}' but ${A_TIME}`)
  return asked
}

function verbNamed(name: string): Verb {
  if (isVerb(name)) return name
  if (name === '') throw new InvalidRequest(`expected ${A_REQUEST}, found nothing`)
  const near = nearestName(name, VERBS)
  const meant = near === undefined ? '' : `: did you mean ${near}?`
  throw new InvalidRequest(`expected ${A_REQUEST}, found '${short(name)}'${meant}`)
}

function isVerb(name: string): name is Verb {
  return Object.hasOwn(TAKES, name)
}

function valueOf(verb: Verb, value?: string): { duration?: number; count?: number } {
  if (TAKES[verb] === 'count') return { count: countOf(value) }
  if (value === undefined) return {}
  if (TAKES[verb] === 'nothing') throw new InvalidRequest(`write '${verb}' alone, without '${short(value)}'`)
  const duration = durationIn(value)
  if (duration !== undefined) return { duration }
  throw new InvalidRequest(
    `expected ${A_DURATION} after ${verb}, found '${short(value)}'${unitAdvice(value)}`,
  )
}

function countOf(value: string | undefined): number {
  const count = value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) : undefined
  if (count !== undefined && count <= MAX_REPLICAS) return count
  const found = value === undefined ? 'nothing' : `'${short(value)}'`
  throw new InvalidRequest(`expected the replicas to wake to after adopt, such as 'adopt 3', found ${found}`)
}

function timeOf(word: string): Instant {
  const text = word.slice(1)
  const date = RFC_3339.exec(text)?.[1]
  const instant = date !== undefined && isDate(date) ? Date.parse(text.toUpperCase()) : NaN
  if (!Number.isNaN(instant)) return instant
  throw new InvalidRequest(`expected ${A_TIME}, found '${short(word)}'`)
}

/** Whether the month has that day: Date.parse takes February the 30th for March the 2nd. */
function isDate(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** The text that `parseRequest` reads. */
export function formatRequest({ verb, duration, count, at }: WrittenRequest): string {
  const words = [
    verb,
    ...(duration === undefined ? [] : [durationText(duration)]),
    ...(count === undefined ? [] : [String(count)]),
    ...(at === undefined ? [] : [`@${new Date(at).toISOString()}`]),
  ]
  return words.join(' ')
}
