import type { Instant } from '../../process/clock.ts'
import { midnightOf } from '../schedule/calendar.ts'
import { A_DURATION, durationIn, durationText, unitAdvice } from '../schedule/duration.ts'
import { nearestName } from '../nearest.ts'
import { clip } from '../text.ts'
import { ANNOTATION, MAX_REPLICAS } from '../workload/workload.ts'
import { ACTIONS, OPERATIONS, PARAMETERS, type Action, type Parameter, type Request } from './operations.ts'

/** The annotation for requests with kubectl alone; the webhook removes it from the write. */
export const REQUEST_ANNOTATION = ANNOTATION.request

/** The flags that have verbs of their own. */
interface Flags {
  readonly force?: boolean | undefined
  readonly shorten?: boolean | undefined
}

interface Asks extends Flags {
  readonly action: Action
}

/** The action of each verb. */
const ASKS = new Map<string, Asks>()
for (const action of ACTIONS) {
  const { verb, flagVerbs = {} } = OPERATIONS[action]
  if (verb !== undefined) ASKS.set(verb, { action })
  for (const [flag, flagVerb] of Object.entries(flagVerbs)) ASKS.set(flagVerb, { action, [flag]: true })
}
export const VERBS: readonly string[] = [...ASKS.keys()]

/** The verb of an action; undefined: the action sets annotations of its own. */
export function verbOf(action: Action, { force, shorten }: Flags = {}): string | undefined {
  const { verb, flagVerbs = {} } = OPERATIONS[action]
  return (force && flagVerbs.force) || (shorten && flagVerbs.shorten) || verb
}

/** A request as the annotation has it: `wake 4h @2026-11-24T18:00:00.000Z`. */
export interface WrittenRequest {
  /** Its durations are whole seconds. */
  readonly request: Request
  /** When it was asked: the same text with the same time is the same request, sent again. */
  readonly at?: Instant
}

/** A text that is no request; the message says what to type. */
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
  const asks = asksOf(name)
  const last = rest.at(-1)
  const at = last?.startsWith('@') ? { at: timeOf(last) } : {}
  const [value, ...more] = last?.startsWith('@') ? rest.slice(0, -1) : rest
  const request = { ...asks, ...saidBy(name, asks.action, value) } as Request
  if (more.length > 0) throw new InvalidRequest(`nothing can follow '${name} ${value}' but ${A_TIME}`)
  return { request, ...at }
}

function asksOf(name: string): Asks {
  const asks = ASKS.get(name)
  if (asks) return asks
  if (name === '') throw new InvalidRequest(`expected ${A_REQUEST}, found nothing`)
  const near = name.toLowerCase() === 'sleep' ? 'snooze' : nearestName(name, VERBS)
  const meant = near === undefined ? '' : `: did you mean ${near}?`
  throw new InvalidRequest(`expected ${A_REQUEST}, found '${short(name)}'${meant}`)
}

/** The parameter that may follow the verb: a duration or a count; a flag has a verb of its own. */
function followerOf(action: Action): Parameter | undefined {
  const { takes } = OPERATIONS[action]
  return takes.find((name) => ['duration', 'count'].includes(PARAMETERS[name].kind))
}

function saidBy(verb: string, action: Action, value?: string): Record<string, number> {
  const name = followerOf(action)
  if (name === 'count') return { count: countOf(value) }
  if (value === undefined) return {}
  if (name === undefined) throw new InvalidRequest(`write '${verb}' alone, without '${short(value)}'`)
  const duration = durationIn(value)
  if (duration !== undefined) return { [name]: duration }
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
  // Date.parse takes February the 30th for March the 2nd.
  const isDate = date !== undefined && midnightOf(date) !== undefined
  const instant = isDate ? Date.parse(text.toUpperCase()) : NaN
  if (!Number.isNaN(instant)) return instant
  throw new InvalidRequest(`expected ${A_TIME}, found '${short(word)}'`)
}

function short(text: string): string {
  return clip(text, 40)
}

/** The text that `parseRequest` reads. @throws TypeError: it has annotations of its own */
export function formatRequest({ request, at }: WrittenRequest): string {
  const { action, force, shorten, ...said }: { action: Action } & Flags = request
  const verb = verbOf(action, { force, shorten })
  if (verb === undefined) throw new TypeError(`${action} has annotations of its own`)
  const name = followerOf(action)
  const value = name && (said as Partial<Record<Parameter, number>>)[name]
  const words = [
    verb,
    ...(value === undefined ? [] : [name === 'count' ? String(value) : durationText(value)]),
    ...(at === undefined ? [] : [`@${new Date(at).toISOString()}`]),
  ]
  return words.join(' ')
}
