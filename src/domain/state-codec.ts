import { Ajv } from 'ajv'
import { LRUCache } from 'lru-cache'
import {
  BACKOFF_CAUSES,
  INTENT_TRIGGERS,
  OPERATION_RESULTS,
  OPERATION_TYPES,
  PIN_STATES,
  SLEEP_STATES,
  TRIGGERS,
  type Operation,
  type StoredState,
} from './state.ts'
import { clip } from './text.ts'
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

/** Instants by their keys: ISO 8601 in UTC in the document, milliseconds in memory. */
const INSTANTS = new Set(['at', 'until', 'hold'])
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

const instant = { type: 'integer' }
const author = { type: 'string', maxLength: 128 }
const by = { ...author, type: ['string', 'null'] }
const count = { type: 'integer', minimum: 0, maximum: MAX_REPLICAS }
/** A kind that we have, or the full name of a configured one. */
const KIND = `^(?:${KINDS.join('|')}|[a-z0-9-]+(?:\\.[a-z0-9-]+)+)$`
const sleep = { enum: SLEEP_STATES }
const trigger = { enum: TRIGGERS }

function closed(required: Record<string, unknown>, optional: Record<string, unknown> = {}): object {
  const properties = { ...required, ...optional }
  return { type: 'object', properties, required: Object.keys(required), additionalProperties: false }
}

const whole = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const operation = closed(
  {
    type: { enum: OPERATION_TYPES },
    trigger,
    at: instant,
    replicas: count,
    duration: { ...whole, type: ['integer', 'null'] },
    by,
    result: { enum: OPERATION_RESULTS },
  },
  { generation: whole },
)

const validate = new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false }).compile<
  StoredState & { v: number }
>(
  closed(
    {
      v: { const: VERSION },
      kind: { type: 'string', maxLength: 317, pattern: KIND },
      counter: { type: 'integer', minimum: 1, maximum: LAST_COUNTER },
      asleep: { type: 'boolean' },
      history: { type: 'array', items: operation, maxItems: HISTORY_LIMIT },
    },
    {
      snoozed: closed({ at: instant, replicas: count, trigger, by }),
      woken: closed({ at: instant }, { kept: count, set: count }),
      intent: closed(
        {
          want: sleep,
          at: instant,
          before: sleep,
          by,
          trigger: { enum: INTENT_TRIGGERS },
        },
        { until: instant, hold: instant },
      ),
      pin: closed({
        state: { enum: PIN_STATES },
        replicas: count,
        at: instant,
        by: author,
      }),
      override: closed({ until: { type: ['integer', 'null'] }, at: instant, by: author }),
      backoff: closed({
        until: instant,
        times: { type: 'integer', minimum: 1 },
        cause: { enum: BACKOFF_CAUSES },
      }),
      request: closed(
        { text: { type: 'string', maxLength: 128 }, at: instant, by: author },
        { pending: { const: true } },
      ),
    },
  ),
)

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
    document = JSON.parse(text)
    // Of a document that is nested without end it throws, too.
    readInstants(document)
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

/** The annotation's text; where it would be longer than `limit` bytes, the oldest operations are left out. */
export function encodeState(state: StoredState, limit = STATE_LIMIT): string {
  let history: readonly Operation[] = state.history.slice(0, HISTORY_LIMIT)
  for (;;) {
    const text = JSON.stringify({ v: VERSION, ...state, history }, (key, value: unknown) =>
      INSTANTS.has(key) && typeof value === 'number' ? new Date(value).toISOString() : value,
    )
    if (Buffer.byteLength(text) <= limit || history.length === 0) return text
    history = history.slice(0, -1)
  }
}

/** Replaces the instants in a parsed document. With a reviver instead, JSON.parse takes four times as long. */
function readInstants(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(readInstants)
  if (typeof value !== 'object' || value === null) return
  const fields = value as Record<string, unknown>
  for (const [key, field] of Object.entries(fields))
    if (INSTANTS.has(key)) fields[key] = parseInstant(field)
    else readInstants(field)
}

/** NaN, which the schema rejects, for anything but an instant or null. */
function parseInstant(value: unknown): unknown {
  if (value === null) return null
  return typeof value === 'string' && ISO_8601.test(value) ? Date.parse(value) : NaN
}
