import * as json from '../../domain/json-schema.ts'
import { EXPECTED, READ_AS, type Properties, type Schema, type ValuesOf } from '../../domain/json-schema.ts'
import { aDuration, durationText } from '../../domain/schedule/duration.ts'

/** Patterns of RFC 1123: a label, and names of labels with dots between. */
export const NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
export const SUBDOMAIN = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'

// Keys of the configuration are JSON Schema with `EXPECTED` for messages, defaults, and two keywords of our own: `duration`
// ([least, most] in milliseconds) and `size` ([least, most] in bytes) parse a text and replace it by the number. The type
// of a schema is that of the checked value.

/** A key: messages describe its values by `expected`; `value` is its default, undefined: it has none. */
export function key<Value>(expected: string, schema: Schema<Value>, value?: unknown): Schema<Value> {
  return { ...schema, [EXPECTED]: expected, ...(value !== undefined && { default: value }) }
}

/** No keys but these. */
export function closed<Keys extends Properties>(properties: Keys): Schema<ValuesOf<Keys>> {
  return key('a section of keys', { type: 'object', properties, additionalProperties: false })
}

/** May be left out: its keys have defaults. */
export function section<Keys extends Properties>(properties: Keys): Schema<ValuesOf<Keys>> {
  return { ...closed(properties), default: {} }
}

/** Has no default: if given, its keys are required, except the `optional` ones. */
export function entry<Keys extends Properties>(
  properties: Keys,
  optional: readonly string[] = [],
): Schema<ValuesOf<Keys>> {
  const names = Object.keys(properties)
  const required = names.filter((name) => !optional.includes(name))
  return { ...key(`a section with ${names.join(', ')}`, closed(properties)), required }
}

/** `null` is allowed, and the default unless another one is given. */
export function orNull<Value>(schema: Schema<Value>, value: unknown = null): Schema<Value | null> {
  return key(`${schema[EXPECTED]}, or null`, json.orNull(schema), value)
}

/** Milliseconds; the default as it is written, or in milliseconds. */
export function duration(value: string | number | undefined, least: number, most: number): Schema<number> {
  const bounds = [least, most] as const
  const written = typeof value === 'number' ? durationText(value) : value
  return key(aDuration(bounds), { type: 'string', duration: bounds }, written)
}

export function text(expected: string, rest: Readonly<Record<string, unknown>> = {}): Schema<string> {
  return key(expected, { ...json.text, minLength: 1, maxLength: 512, ...rest })
}

/** A text that a reader of `checks.ts` checks. */
export function readText(
  reader: string,
  expected: string,
  rest: Readonly<Record<string, unknown>> = {},
): Schema<string> {
  return text(expected, { [READ_AS]: reader, ...rest })
}

export function list<Item>(
  items: Schema<Item>,
  expected: string,
  value: readonly unknown[],
  least = 0,
): Schema<readonly Item[]> {
  const schema = { ...json.listOf(items), minItems: least, maxItems: 1000, uniqueItems: true }
  return key(expected, schema, value)
}

/** Keys of the user's own, at most `most`, each with such a value. */
export function map<Value>(
  names: Schema<string>,
  values: Schema<Value>,
  expected: string,
  most: number,
): Schema<Readonly<Record<string, Value>>> {
  return key(expected, { ...json.mapOf(values), propertyNames: names, maxProperties: most }, {})
}

export function oneOf<const Name extends string>(names: readonly Name[], value?: Name): Schema<Name> {
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return key(expected, { type: 'string', ...json.oneOf(names) }, value)
}

export function port(value?: number): Schema<number> {
  return key('a port from 0 (any free one) to 65535', json.whole(0, 65_535), value)
}

export function flag(value: boolean): Schema<boolean> {
  return key('true or false', json.flag, value)
}

export function whole(value: number | undefined, minimum: number, maximum: number): Schema<number> {
  return { ...json.whole(minimum, maximum), ...(value !== undefined && { default: value }) }
}
