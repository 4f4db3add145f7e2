import {
  EXPECTED,
  READ_AS,
  record,
  text,
  time,
  type Properties,
  type Schema,
  type ValuesOf,
} from '../../../domain/json-schema.ts'
import { DURATION_PATTERN } from '../../../domain/schedule/duration.ts'

/** A text that matches all of `pattern`; `expected` describes it in words. */
export function patterned(
  pattern: string,
  expected: string,
  rest: Readonly<Record<string, unknown>> = {},
): Schema<string> {
  return { type: 'string', pattern: `^(?:${pattern})$`, [EXPECTED]: expected, ...rest }
}

/** A duration; `reader` holds its bounds, which no pattern can express. */
export function duration(reader: string, expected: string): Schema<string> {
  return patterned(DURATION_PATTERN, expected, {
    maxLength: 64,
    format: `duration-${reader}`,
    [READ_AS]: reader,
  })
}

/** A request's body: any of these properties and no other. */
export function body<Fields extends Properties>(
  description: string,
  properties: Fields,
): Schema<Partial<ValuesOf<Fields>>> {
  return { type: 'object', description, properties, additionalProperties: false }
}

/** The answer to a successful request; `more`: fields beside the data. */
export function success(data: Schema, more: Properties = {}): Schema {
  return record('A success', { success: { const: true }, message: text, data, ...more, timestamp: time })
}

type Components = Readonly<Record<string, Schema>>

/** Components of the document: where one stands in another, a reference to it is put. */
export function byReference(components: Components): Components {
  const all = Object.entries(components)
  const references = new Map(all.map(([name, schema]) => [schema, { $ref: `#/components/schemas/${name}` }]))
  return Object.fromEntries(all.map(([name, schema]) => [name, replaced(schema, references)]))
}

/** A deep copy in which other values stand in the place of some that are inside. Lists that stay as they are, are the same. */
export function replaced<Whole>(whole: Whole, others: ReadonlyMap<unknown, unknown>): Whole {
  const inside = (value: unknown) => others.get(value) ?? replaced(value, others)
  const copy = (): unknown => {
    if (typeof whole !== 'object' || whole === null) return whole
    if (!Array.isArray(whole))
      return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, inside(value)]))
    const items = whole.map(inside)
    return items.every((item, index) => item === whole[index]) ? whole : items
  }
  return copy() as Whole
}
