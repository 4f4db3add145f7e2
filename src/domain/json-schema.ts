// JSON Schema whose TypeScript type follows from it. TypeBox 1.4.3 does so, too, and takes 65 ms and 20 MB to load, beside
// 1 ms; the validator is Ajv either way (validation.ts).

declare const VALUE: unique symbol
/** Keyword: the expected value in words, as in `must be …`. */
export const EXPECTED = 'x-expected'
/** Keyword: the name of a reader, a function that checks what JSON Schema cannot. */
export const READ_AS = 'x-read-as'

/** A JSON Schema whose valid values have this type: `ValueOf<typeof schema>`, so it is declared only once. */
export interface Schema<Value = unknown> {
  /** Carries the type alone: nothing is there. */
  readonly [VALUE]?: () => Value
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly properties?: Properties
  readonly required?: readonly string[]
  readonly items?: Schema
  /** The values of other keys, whose names follow `propertyNames`; false: there are no others. */
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly [EXPECTED]?: string
  readonly [keyword: string]: unknown
}

/** The fault of a text; undefined: none. */
export type Reader = (text: string) => string | undefined

/** The type of a schema's valid values. */
export type ValueOf<Of> = Of extends { readonly [VALUE]?: () => infer Value } ? Value : never

export type Properties = Readonly<Record<string, Schema>>
/** The type of an object that has all these properties. */
export type ValuesOf<Of extends Properties> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> }

/** Whether a value of JSON is an object, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const text: Schema<string> = { type: 'string' }
export const flag: Schema<boolean> = { type: 'boolean' }
export const count: Schema<number> = { type: 'integer', minimum: 0 }
export const time: Schema<string> = { type: 'string', format: 'date-time' }

export function whole(minimum: number, maximum: number): Schema<number> {
  const expected = `a whole number from ${minimum} to ${maximum}`
  return { type: 'integer', minimum, maximum, [EXPECTED]: expected }
}

/** One value of a list. */
export function oneOf<const Value extends string | null>(values: readonly Value[]): Schema<Value> {
  return { enum: values }
}

/** The same schema with null allowed; for schemas with a `type`. */
export function orNull<Value>(schema: Schema<Value>): Schema<Value | null> {
  const names = Array.isArray(schema.enum) ? { enum: [...(schema.enum as readonly unknown[]), null] } : {}
  return { ...schema, type: [schema.type ?? [], 'null'].flat(), ...names }
}

export function listOf<Item>(items: Schema<Item>): Schema<readonly Item[]> {
  return { type: 'array', items }
}

/** An object with keys of any names. */
export function mapOf<Value>(values: Schema<Value>): Schema<Readonly<Record<string, Value>>> {
  return { type: 'object', additionalProperties: values }
}

/** The same schema with a description. */
export function meaning<Value>(description: string, schema: Schema<Value>): Schema<Value> {
  return { ...schema, description }
}

/** An object that has all these properties and no other. */
export function record<Fields extends Properties>(
  description: string,
  properties: Fields,
): Schema<ValuesOf<Fields>> {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

/** An object with all of `required` and any of `optional`; other properties are allowed. */
export function part<Required extends Properties>(required: Required): Schema<ValuesOf<Required>>
export function part<Required extends Properties, Optional extends Properties>(
  required: Required,
  optional: Optional,
): Schema<ValuesOf<Required> & Partial<ValuesOf<Optional>>>
export function part(required: Properties, optional: Properties = {}): Schema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}
