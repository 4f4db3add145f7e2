import { Ajv } from 'ajv'
import { LRUCache } from 'lru-cache'
import { OPERATION_TYPES, PIN_STATES, type State, type StoredState } from './state.ts'
import { SLEEP_STATES } from '../schedule/schedule.ts'
import { clip } from '../text.ts'
import { KINDS, MAX_REPLICAS } from './workload.ts'

/** The version of the document; one of another version is unreadable. */
const VERSION = 1
/** How long the document may be, in bytes of UTF-8. */
export const STATE_LIMIT = 8 * 1024
export const HISTORY_LIMIT = 20
/** The highest counter, which only other hands can write. It grows no more: one above it could not be read again. */
export const LAST_COUNTER = Number.MAX_SAFE_INTEGER

/** A state that cannot be read: nothing is written to its workload but a repair. */
export class Unreadable {
  /** What is wrong with it, and where (JSON pointer). */
  readonly fault: string

  constructor(fault: string) {
    this.fault = fault
  }

  /** The fault and the remedy, for people. */
  get message(): string {
    return `dormouse.dev/state cannot be read: ${this.fault}. POST to its /enable repairs it`
  }
}

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** ISO 8601 in UTC in the document, milliseconds in memory, which is what is validated. */
const instant = { type: 'integer' }
const instantOrNull = { type: ['integer', 'null'] }
const author = { type: 'string', maxLength: 128 }
const by = { ...author, type: ['string', 'null'] }
const count = { type: 'integer', minimum: 0, maximum: MAX_REPLICAS }
const whole = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
/** A kind that we have, or the full name of a configured one. */
const KIND = `^(?:${KINDS.join('|')}|[a-z0-9-]+(?:\\.[a-z0-9-]+)+)$`
const sleep = { enum: SLEEP_STATES }
/** One of a list that a later release may lengthen. */
const open = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,40}$' }

type Properties = Readonly<Record<string, object>>
interface Part {
  readonly type: 'object'
  readonly properties: Properties
  readonly required: readonly string[]
}

/** Other keys are a later release's: they stay as they are. */
function part(required: Properties, optional: Properties = {}): Part {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

const OPERATION = part(
  {
    type: { enum: OPERATION_TYPES },
    trigger: open,
    at: instant,
    replicas: count,
    duration: { ...whole, type: ['integer', 'null'] },
    by,
    result: open,
  },
  { generation: whole },
)

const PARTS: Readonly<Record<string, Part>> = {
  snoozed: part({ at: instant, replicas: count, trigger: open, by }),
  woken: part({ at: instant }, { kept: count, set: count }),
  intent: part(
    { want: sleep, at: instant, before: sleep, by, trigger: open },
    { until: instant, hold: instant },
  ),
  pin: part({ state: { enum: PIN_STATES }, replicas: count, at: instant, by: author }),
  override: part({ until: instantOrNull, at: instant, by: author }),
  backoff: part({ until: instant, times: { type: 'integer', minimum: 1 }, cause: open }),
  request: part(
    { text: { type: 'string', maxLength: 128 }, at: instant, by: author },
    { pending: { const: true } },
  ),
}

const DOCUMENT = part(
  {
    v: { const: VERSION },
    kind: { type: 'string', maxLength: 317, pattern: KIND },
    counter: { type: 'integer', minimum: 1, maximum: LAST_COUNTER },
    asleep: { type: 'boolean' },
    history: { type: 'array', items: OPERATION, maxItems: HISTORY_LIMIT },
  },
  PARTS,
)

const validate = new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false }).compile<
  StoredState & { v: number }
>(DOCUMENT)

/**
 * One change of a workload reads its state several times: cache states by their text. Few, since one takes 4 KB: those
 * that stay for long are garbage that only a collection of the whole heap finds.
 */
const cache = new LRUCache<string, StoredState>({ max: 64 })

/** The state that the annotation's text holds. */
export function decodeState(text: string): StoredState | Unreadable {
  const cached = cache.get(text)
  if (cached) return cached
  const state = parseState(text)
  if (!(state instanceof Unreadable)) cache.set(text, state)
  return state
}

function parseState(text: string): StoredState | Unreadable {
  if (Buffer.byteLength(text) > STATE_LIMIT) return new Unreadable(`longer than ${STATE_LIMIT} bytes`)
  let document: unknown
  try {
    const parsed: unknown = JSON.parse(text)
    // What is nested too deeply to be written again is not read.
    JSON.stringify(parsed)
    document = isRecord(parsed) ? inParts(parsed, readInstants) : parsed
  } catch {
    return new Unreadable('not JSON')
  }
  if (!validate(document)) {
    const version = (document as { v?: unknown } | null)?.v
    if (version !== VERSION)
      return new Unreadable(`version ${clip(JSON.stringify(version ?? null))} is not known`)
    const [fault] = validate.errors ?? []
    return new Unreadable(`${fault?.instancePath || '/'} ${fault?.message ?? 'is not valid'}`)
  }
  const { v: _version, ...state } = document
  return state
}

/**
 * The annotation's text. Where it would be longer than `limit` bytes, the oldest operations are left out, and where that
 * does not do, what a later release has added.
 */
export function encodeState(state: StoredState, limit = STATE_LIMIT): string {
  for (let length = Math.min(state.history.length, HISTORY_LIMIT); length >= 0; length -= 1) {
    const text = textOf({ ...state, history: state.history.slice(0, length) })
    if (Buffer.byteLength(text) <= limit) return text
  }
  return textOf(withoutUnknown({ ...state, history: [] }))
}

function textOf(state: StoredState): string {
  return JSON.stringify(inParts({ v: VERSION, ...state }, writtenInstants))
}

/** The state without the keys that this release does not know. */
export function withoutUnknown<S extends State>(state: S): S {
  return inParts(onlyKnown({ ...state } as Fields, DOCUMENT), onlyKnown) as unknown as S
}

type Fields = Record<string, unknown>

/** A copy of the document, in which each part that we know, and each operation, is replaced; all else stays as it is. */
function inParts(document: Fields, replaced: (fields: Fields, part: Part) => Fields): Fields {
  const copy = { ...document }
  for (const [name, part] of Object.entries(PARTS)) {
    const fields = copy[name]
    if (isRecord(fields)) copy[name] = replaced(fields, part)
  }
  const { history } = copy
  if (Array.isArray(history))
    copy['history'] = history.map((each: unknown) => (isRecord(each) ? replaced(each, OPERATION) : each))
  return copy
}

function onlyKnown(fields: Fields, { properties }: Part): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name)))
}

function readInstants(fields: Fields, part: Part): Fields {
  return withInstants(fields, part, parseInstant)
}

function writtenInstants(fields: Fields, part: Part): Fields {
  return withInstants(fields, part, (value) =>
    typeof value === 'number' ? new Date(value).toISOString() : value,
  )
}

function withInstants(fields: Fields, { properties }: Part, replaced: (value: unknown) => unknown): Fields {
  const copy = { ...fields }
  for (const [name, schema] of Object.entries(properties))
    if ((schema === instant || schema === instantOrNull) && Object.hasOwn(copy, name))
      copy[name] = replaced(copy[name])
  return copy
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** NaN, which the schema rejects, for anything but an instant or null. */
function parseInstant(value: unknown): unknown {
  if (value === null) return null
  return typeof value === 'string' && ISO_8601.test(value) ? Date.parse(value) : NaN
}
