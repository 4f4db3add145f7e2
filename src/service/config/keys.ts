import type { Schema, ValuesOf } from '../../domain/json-schema.ts'
import { aDuration } from '../../domain/schedule/duration.ts'

/**
 * One key of the configuration, whose checked value is a `Value`. JSON Schema, and four keywords of ours: `expects`
 * describes the allowed values for messages; `duration` ([least, most] in milliseconds) and `size` ([least, most] in
 * bytes) read a text and replace it by the number; `check` names a rule of `checks.ts`.
 */
export interface KeySchema<Value = unknown> extends Schema<Value> {
  readonly type: string | readonly string[]
  readonly expects: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly required?: readonly string[]
  readonly items?: KeySchema
  /** The values of other keys, whose names follow `propertyNames`; false: there are no others. */
  readonly additionalProperties?: boolean | KeySchema
  readonly propertyNames?: KeySchema<string>
}

type Keys = Readonly<Record<string, KeySchema>>

/** No keys but these. */
export function closed<Properties extends Keys>(
  properties: Properties,
): KeySchema<Readonly<ValuesOf<Properties>>> {
  return { type: 'object', expects: 'a section of keys', properties, additionalProperties: false }
}

/** May be left out: its keys have defaults. */
export function section<Properties extends Keys>(
  properties: Properties,
): KeySchema<Readonly<ValuesOf<Properties>>> {
  return { ...closed(properties), default: {} }
}

/** Has no default: if given, its keys are required, except the `optional` ones. */
export function entry<Properties extends Keys>(
  properties: Properties,
  optional: readonly string[] = [],
): KeySchema<Readonly<ValuesOf<Properties>>> {
  const names = Object.keys(properties)
  const required = names.filter((name) => !optional.includes(name))
  return { ...closed(properties), expects: `a section with ${names.join(', ')}`, required }
}

/** `null` is allowed, and the default unless another one is given. */
export function orNull<Value>(schema: KeySchema<Value>, value: unknown = null): KeySchema<Value | null> {
  const type = [schema.type, 'null'].flat()
  return { ...schema, type, expects: `${schema.expects}, or null`, default: value }
}

/** Milliseconds. */
export function duration(value: string | undefined, least: number, most: number): KeySchema<number> {
  const bounds = [least, most] as const
  return { type: 'string', expects: aDuration(bounds), duration: bounds, ...defaultOf(value) }
}

export function text(expects: string, rest: Readonly<Record<string, unknown>> = {}): KeySchema<string> {
  return { type: 'string', expects, minLength: 1, maxLength: 512, ...rest }
}

export function list<Item>(
  items: KeySchema<Item>,
  expects: string,
  value: readonly unknown[],
  least = 0,
): KeySchema<readonly Item[]> {
  return { type: 'array', expects, items, default: value, minItems: least, maxItems: 1000, uniqueItems: true }
}

/** Keys of the user's own, at most `most`, each with such a value. */
export function map<Value>(
  names: KeySchema<string>,
  values: KeySchema<Value>,
  expects: string,
  most: number,
): KeySchema<Readonly<Record<string, Value>>> {
  return {
    type: 'object',
    expects,
    propertyNames: names,
    additionalProperties: values,
    maxProperties: most,
    default: {},
  }
}

export function oneOf<const Name extends string>(names: readonly Name[], value: Name): KeySchema<Name> {
  const expects = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return { type: 'string', expects, enum: names, default: value }
}

export function port(value?: number): KeySchema<number> {
  const expects = 'a port from 0 (any free one) to 65535'
  return { type: 'integer', expects, minimum: 0, maximum: 65_535, ...defaultOf(value) }
}

export function flag(value: boolean): KeySchema<boolean> {
  return { type: 'boolean', expects: 'true or false', default: value }
}

export function whole(value: number | undefined, minimum: number, maximum: number): KeySchema<number> {
  const expects = `a whole number from ${minimum} to ${maximum}`
  return { type: 'integer', expects, minimum, maximum, ...defaultOf(value) }
}

function defaultOf(value: unknown): { default?: unknown } {
  return value === undefined ? {} : { default: value }
}
