import type { Released } from '../deciding/released.ts'
import { isRecord } from '../json-schema.ts'
import { byForm, forEachSetting, type SettingName } from '../inheritable.ts'
import { isConfigurable } from '../kinds.ts'
import type { Condition, Scalar } from '../sleeping/condition.ts'
import type { KindSettings, SwitchSettings } from '../sleeping/configured.ts'
import type { ConfiguredPolicy } from '../policy/configured.ts'
import { MEANINGS, type Meaning } from '../schedule/calendar.ts'
import type { PublishedCalendar } from '../schedule/published-calendar.ts'
import type { Prices } from './saved.ts'
import type { Policy } from '../workload/settings-rules.ts'

/**
 * The format of what clients are told. Raise it where a client of an earlier format would answer wrongly though it can
 * read every value. A new key needs no higher one: a client that does not know the key says so.
 */
export const FORMAT = 1

/** The settings that the service publishes, and by which its clients compute. */
export interface Published {
  readonly version: string | undefined
  /** The release of the tz database by which it computes: `2026c`. */
  readonly zoneData: string | undefined
  readonly timezone: string | undefined
  /** Durations in milliseconds. */
  readonly rules: Omit<Policy, 'timezone'> | undefined
  /** Milliseconds. */
  readonly wakeOrderTimeout: number | undefined
  /** The configured kinds, and how each sleeps. */
  readonly kinds: readonly PublishedKind[] | undefined
  /** The resources whose objects are paused beside workloads that they own. */
  readonly owners: readonly string[] | undefined
  readonly excludeNamespaces: readonly string[] | undefined
  readonly policies: readonly ConfiguredPolicy[] | undefined
  /** A text: why the calendar cannot be used. */
  readonly calendars: Readonly<Record<string, PublishedCalendar | string>> | undefined
  readonly prices: Prices | undefined
  /** The label that names teams. */
  readonly teamLabel: string | undefined
  /** Why these are not published though there are some. */
  readonly unpublished: { readonly [Key in Withheld]?: string | undefined } | undefined
  readonly console: string | undefined
  /** How people call the cluster. */
  readonly cluster: string | undefined
  /** Written by `dormouse release --all`; the next leader, or `release --undo`, removes it. */
  readonly released: Released | undefined
}
/** Clients need not know what stands beside it. */
export type PublishedKind = Omit<KindSettings, 'along' | 'notWhile'>
type Withheld = 'policies' | 'calendars' | 'prices'
type Key = keyof Published

/** Whether a value is exactly of this shape: no key more, no value of another type. */
type Shape<Value> = (value: unknown) => value is Value

const text: Shape<string> = (value) => typeof value === 'string'
const flag: Shape<boolean> = (value) => typeof value === 'boolean'
const number: Shape<number> = (value) => typeof value === 'number'

function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value) => value === null || shape(value)
}

function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value) => value === undefined || shape(value)
}

function listOf<Item>(shape: Shape<Item>): Shape<readonly Item[]> {
  return (value) => Array.isArray(value) && value.every(shape)
}

function mapOf<Value>(shape: Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return (value): value is Record<string, Value> => isRecord(value) && Object.values(value).every(shape)
}

/** A section with these keys and no other; the compiler asks for each key of its type. */
function section<Section extends object>(shapes: {
  readonly [Each in keyof Section]-?: Shape<Section[Each]>
}): Shape<Section> {
  const each = Object.entries(shapes) as [string, Shape<unknown>][]
  return (value): value is Section =>
    isRecord(value) &&
    each.every(([key, shape]) => shape(value[key])) &&
    Object.keys(value).every((key) => Object.hasOwn(shapes, key))
}

const scalar: Shape<Scalar> = (value) => text(value) || flag(value) || number(value)
const flagOrText: Shape<boolean | string> = (value) => text(value) || flag(value)
const condition = optional(
  section<Condition>({
    path: optional(text),
    condition: optional(text),
    equals: optional(scalar),
    equalsPath: optional(text),
  }),
)
const kind = section<PublishedKind>({
  resource: (value): value is string => text(value) && isConfigurable(value),
  specReplicasPath: optional(text),
  switch: optional(
    section<SwitchSettings>({
      path: optional(text),
      annotation: optional(text),
      asleep: flagOrText,
      awake: flagOrText,
    }),
  ),
  asleepWhen: condition,
  awakeWhen: condition,
  versions: optional(listOf(text)),
})

const texts = optional(orNull(listOf(text)))
const aText = optional(orNull(text))
const ofSettings = { flag: optional(orNull(flag)), count: optional(orNull(number)), text: aText }

const policy = section<ConfiguredPolicy>({
  name: text,
  namespaces: section<ConfiguredPolicy['namespaces']>({ names: texts, selector: aText }),
  workloads: optional(
    orNull(section<NonNullable<ConfiguredPolicy['workloads']>>({ kinds: texts, selector: aText })),
  ),
  ...forEachSetting<{ readonly [Name in SettingName]: Shape<ConfiguredPolicy[Name]> }>((name) =>
    byForm(name, ofSettings),
  ),
})

type PublishedWindow = NonNullable<PublishedCalendar['windows']>[number]
const span: Shape<PublishedWindow> = (value): value is PublishedWindow =>
  Array.isArray(value) && [number, number, flag, text].every((shape, place) => shape(value[place]))
const meaning: Shape<Meaning> = (value): value is Meaning => MEANINGS.some((each) => each === value)
const calendar = section<PublishedCalendar>({
  dates: mapOf(text),
  days: optional(mapOf(text)),
  windows: optional(listOf(span)),
  means: optional(meaning),
})

/** By key, in the order in which they are written. Texts are written as they are, all else as JSON. */
const SHAPES: { readonly [Each in Key]-?: Shape<NonNullable<Published[Each]>> } = {
  version: text,
  zoneData: text,
  timezone: text,
  rules: section<Omit<Policy, 'timezone'>>({
    operationTimeout: number,
    newWorkloadGrace: number,
    wakeHold: orNull(number),
    backoff: section<Policy['backoff']>({ maxOperations: number, window: number, base: number, max: number }),
  }),
  wakeOrderTimeout: number,
  kinds: listOf(kind),
  owners: listOf(text),
  excludeNamespaces: listOf(text),
  policies: listOf(policy),
  calendars: mapOf((value): value is PublishedCalendar | string => text(value) || calendar(value)),
  prices: section<Prices>({ currency: text, cpu: number, memory: number }),
  teamLabel: text,
  unpublished: section<NonNullable<Published['unpublished']>>({
    policies: optional(text),
    calendars: optional(text),
    prices: optional(text),
  }),
  console: text,
  cluster: text,
  released: section<Released>({ by: text, since: optional(text) }),
}

/**
 * The data of the ConfigMap, the format included. Throws TypeError for a value that `readPublished` could not read:
 * what is published has to be described here first.
 */
export function writtenSettings(settings: Published): Record<string, string> {
  const written = Object.entries(settings).filter(([, value]) => value !== undefined)
  for (const [key, value] of written)
    if (!isKey(key) || !SHAPES[key](value))
      throw new TypeError(`domain/records/published.ts does not describe ${key}`)
  const data = written.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])
  return { format: String(FORMAT), ...Object.fromEntries(data) }
}

const NOTHING: Published = {
  version: undefined,
  zoneData: undefined,
  timezone: undefined,
  rules: undefined,
  wakeOrderTimeout: undefined,
  kinds: undefined,
  owners: undefined,
  excludeNamespaces: undefined,
  policies: undefined,
  calendars: undefined,
  prices: undefined,
  teamLabel: undefined,
  unpublished: undefined,
  console: undefined,
  cluster: undefined,
  released: undefined,
}

/** The settings that a client can read, and the keys that it cannot. */
export interface ReadSettings {
  readonly settings: Published
  /** Keys that are unknown here, or have a value that is; `format`: nothing but the version was read. */
  readonly unread: ReadonlySet<string>
}

/** Reads the ConfigMap's data. Without a `format` it is of the first one. `known`: the highest format known here. */
export function readPublished(data: Readonly<Record<string, string>>, known = FORMAT): ReadSettings {
  const { format = '1', ...others } = data
  const isReadable = /^[1-9]\d{0,8}$/.test(format) && Number(format) <= known
  const unread = new Set(isReadable ? [] : ['format'])
  const settings: Published = { ...NOTHING }
  const read = Object.entries(others).filter(([key]) => isReadable || key === 'version')
  for (const [key, written] of read) {
    const value = isKey(key) ? valueOf(key, written) : undefined
    if (value === undefined) unread.add(key)
    else Object.assign(settings, { [key]: value })
  }
  return { settings, unread }
}

function valueOf(key: Key, written: string): unknown {
  if (SHAPES[key] === text) return written
  try {
    const value: unknown = JSON.parse(written)
    return SHAPES[key](value) ? value : undefined
  } catch {
    return undefined
  }
}

function isKey(key: string): key is Key {
  return Object.hasOwn(SHAPES, key)
}
