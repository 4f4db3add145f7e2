import { LRUCache } from 'lru-cache'
import type { Instant } from '../../process/clock.ts'
import { decodeHistory, encodeHistory, HISTORY_LIMIT, type History } from './history-codec.ts'
import { parseInstant, writtenInstant } from './instant.ts'
import { PIN_STATES, type State, type StoredState } from './state.ts'
import { SLEEP_STATES } from '../schedule/schedule.ts'
import { count, flag, isRecord, oneOf, orNull, part, text, type Schema } from '../json-schema.ts'
import { bytesOf, clip } from '../text.ts'
import { compile, firstFault } from '../validation.ts'
import { KINDS, MAX_REPLICAS, type Kind } from './workload.ts'

/** The version that is written; a state of another one is unreadable. */
const VERSION = 2
/** How long state and history may be together, in bytes of UTF-8. */
export const STATE_LIMIT = 8 * 1024
/** Characters: no text so short nests deeper than can be written again. */
const SHALLOW = 1000
/** The highest counter, which only other hands can write. It grows no more: one above it could not be read again. */
export const LAST_COUNTER = Number.MAX_SAFE_INTEGER

/** The texts of the two annotations that hold a state. */
export interface StateTexts {
  readonly state: string
  /** undefined: it has no operations. */
  readonly history?: string
}

/** A state that cannot be read: nothing is written to its workload but a repair. */
export class Unreadable {
  /** The fault, and where it is (JSON pointer). */
  readonly fault: string

  constructor(fault: string) {
    this.fault = fault
  }

  /** For people. */
  get message(): string {
    return `dormouse.dev/state cannot be read: ${this.fault}`
  }
}

/** ISO 8601 in UTC in the document, milliseconds in memory, which is what is validated. */
const instant: Schema<Instant> = { type: 'integer' }
const author = { ...text, maxLength: 128 }
// A key that has its default is left out of the document.
const instantOrNull = { ...orNull(instant), default: null }
const by = { ...orNull(author), default: null }
const replicas = { ...count, maximum: MAX_REPLICAS }
/** A kind that we have, or the full name of a configured one. */
const kind: Schema<Kind> = {
  type: 'string',
  maxLength: 317,
  pattern: `^(?:${KINDS.join('|')}|[a-z0-9-]+(?:\\.[a-z0-9-]+)+)$`,
}
const sleep = oneOf(SLEEP_STATES)
/** A value of a list that a later release may extend. */
const open = { ...text, pattern: '^[A-Za-z0-9._-]{1,40}$' }
const trigger = { ...open, default: 'schedule' }

type Parts = Omit<State, keyof History | 'counter' | 'asleep'>
/** Other keys belong to a later release and are kept. */
const PARTS: { readonly [Name in keyof Required<Parts>]: Schema<Parts[Name]> } = {
  snoozed: part({ at: instant, replicas, trigger, by }, { rest: replicas }),
  woken: part({ at: instant }, { kept: replicas, set: replicas }),
  intent: part({ want: sleep, at: instant, before: sleep, by, trigger }, { until: instant, hold: instant }),
  pin: part({ state: oneOf(PIN_STATES), replicas, at: instant, by: author }),
  override: part({ until: instantOrNull, at: instant, by: author }),
  backoff: part({ until: instant, times: { ...count, minimum: 1 }, cause: open }, { refusal: text }),
  request: part({ text: author, at: instant, by: author }, { pending: { const: true } }),
}

const DOCUMENT: Schema<Omit<StoredState, keyof History>> = part(
  {
    kind,
    counter: { ...count, minimum: 1, maximum: LAST_COUNTER },
    asleep: { ...flag, default: false },
  },
  PARTS,
)

const isDocument = compile(DOCUMENT)

/**
 * States by their text, since one change of a workload reads its state several times. Only a few: one takes 4 KB, and
 * old entries are garbage that only a collection of the whole heap frees.
 */
const cache = new LRUCache<string, { history: string | undefined; read: StoredState }>({ max: 64 })

/** The state that our annotations hold. */
export function decodeState(state: string, history?: string): StoredState | Unreadable {
  const cached = cache.get(state)
  if (cached && cached.history === history) return cached.read
  const read = parseState(state, history)
  if (!(read instanceof Unreadable)) cache.set(state, { history, read })
  return read
}

function parseState(text: string, history: string | undefined): StoredState | Unreadable {
  if (isTooLong(text)) return new Unreadable(`longer than ${STATE_LIMIT} bytes`)
  let document: unknown
  try {
    document = JSON.parse(text)
    // A document too deep to be written again is not read. A short one is not that deep.
    if (text.length > SHALLOW) JSON.stringify(document)
  } catch {
    return new Unreadable('not JSON')
  }
  // `tag.ts` reads the tag.
  const {
    v: version,
    history: _,
    unreadHistory: _unread,
    tag: _tag,
    ...others
  } = isRecord(document) ? document : {}
  if (version !== VERSION)
    return new Unreadable(`version ${clip(JSON.stringify(version ?? null))} is not known`)
  const state = inParts(others, readInstants)
  if (!isDocument(state)) return new Unreadable(firstFault(isDocument))
  const isRead = history !== undefined && !isTooLong(history)
  return { ...state, ...(isRead ? decodeHistory(history) : { history: [] }) }
}

function isTooLong(text: string): boolean {
  // A character of a text takes at most three bytes, so most texts need not be counted.
  return text.length * 3 > STATE_LIMIT && bytesOf(text) > STATE_LIMIT
}

/**
 * The annotations' texts. If they exceed `limit` bytes together, drops the oldest operations first, then a later
 * release's additions.
 */
export function encodeState(
  { history, unreadHistory = [], ...rest }: StoredState,
  limit = STATE_LIMIT,
): StateTexts {
  const state = textOf(rest)
  const left = limit - bytesOf(state)
  if (left < 0) return { state: textOf(withoutUnknown(rest)) }
  const operations = { history, unreadHistory }
  for (let most = HISTORY_LIMIT; most > 0; most -= 1) {
    const text = encodeHistory(operations, most)
    if (text === undefined) break
    if (bytesOf(text) <= left) return { state, history: text }
  }
  return { state }
}

function textOf(state: object): string {
  const document = withoutDefaults(inParts({ ...state }, written), DOCUMENT)
  return JSON.stringify({ v: VERSION, ...document })
}

/** The state without its operations, and without the keys that this release does not know. */
export function withoutUnknown<S extends object>(state: S): Omit<S, keyof History> {
  return inParts(onlyKnown({ ...state } as Fields, DOCUMENT), onlyKnown) as unknown as Omit<S, keyof History>
}

type Fields = Record<string, unknown>

/** A copy of the document, in which each part that we know is replaced; all else stays as it is. */
function inParts(document: Fields, replaced: (fields: Fields, schema: Schema) => Fields): Fields {
  const copy = { ...document }
  for (const [name, schema] of Object.entries(PARTS)) {
    const fields = copy[name]
    if (isRecord(fields)) copy[name] = replaced(fields, schema)
  }
  return copy
}

function onlyKnown(fields: Fields, { properties = {} }: Schema): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name)))
}

function withoutDefaults(fields: Fields, { properties = {} }: Schema): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !Object.hasOwn(properties, name) || value !== properties[name]?.default,
    ),
  )
}

function readInstants(fields: Fields, schema: Schema): Fields {
  return withInstants(fields, schema, (value) => (value === null ? null : parseInstant(value)))
}

function written(fields: Fields, schema: Schema): Fields {
  const texts = withInstants(fields, schema, (value) =>
    typeof value === 'number' ? writtenInstant(value) : value,
  )
  return withoutDefaults(texts, schema)
}

function withInstants(
  fields: Fields,
  { properties = {} }: Schema,
  replaced: (value: unknown) => unknown,
): Fields {
  const copy = { ...fields }
  for (const [name, schema] of Object.entries(properties))
    if ((schema === instant || schema === instantOrNull) && Object.hasOwn(copy, name))
      copy[name] = replaced(copy[name])
  return copy
}
