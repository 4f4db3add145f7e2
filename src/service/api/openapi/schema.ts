import { DURATION_PATTERN } from '../../../domain/schedule/duration.ts'

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses. */
export type Schema = Readonly<Record<string, unknown>>

/** Keyword: what is expected, in words, as in `must be …`. */
export const EXPECTED = 'x-expected'
/** Keyword: the name of a reader (formats.ts) that checks what no pattern can; it accepts more than an `enum` beside it, and replaces a `format`. */
export const READ_AS = 'x-read-as'

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const time: Schema = { type: 'string', format: 'date-time' }
export const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' }
export const textOrNull: Schema = { type: ['string', 'null'] }

/** A reference to one of the document's components. */
export function component(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** A text that matches all of `pattern`; `expected` says in words what that is. */
export function patterned(pattern: string, expected: string, rest: Schema = {}): Schema {
  return { type: 'string', pattern: `^(?:${pattern})$`, [EXPECTED]: expected, ...rest }
}

/** A duration; `reader` holds its bounds, which no pattern can express. */
export function duration(reader: string, expected: string): Schema {
  return patterned(DURATION_PATTERN, expected, {
    maxLength: 64,
    format: `duration-${reader}`,
    [READ_AS]: reader,
  })
}

/** One of a list that later releases may lengthen: during a rolling update a replica shows what a newer one wrote. */
export function oneOf(description: string, known: readonly string[]): Schema {
  return { ...text, description: `${description}. ${known.join(', ')}, or what a later release adds` }
}

/** A whole number with a default. */
export function whole(minimum: number, maximum: number, value: number): Schema {
  const expected = `a whole number from ${minimum} to ${maximum}`
  return { type: 'integer', minimum, maximum, default: value, [EXPECTED]: expected }
}

/** The same schema with a description. */
export function meaning(description: string, schema: Schema): Schema {
  return { ...schema, description }
}

export function arrayOf(items: Schema): Schema {
  return { type: 'array', items }
}

/** An object that has all these properties and no other. */
export function record(description: string, properties: Record<string, Schema>): Schema {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

/** A request's body: any of these properties and no other. */
export function body(description: string, properties: Record<string, Schema>): Schema {
  return { type: 'object', description, properties, additionalProperties: false }
}

/** The answer to a request that succeeded; `more` stands beside the data. */
export function success(data: Schema, more: Record<string, Schema> = {}): Schema {
  return record('A success', { success: { const: true }, message: text, data, ...more, timestamp: time })
}
