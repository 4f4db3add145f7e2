import { CONFIG_SCHEMA, type KeySchema } from '../src/config/schema.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** What the chart's schema of values is, with its part for `config` made from the program's own schema. */
export function withConfigSchema(values: JsonSchema): JsonSchema {
  const { properties } = values as { properties: JsonSchema }
  return { ...values, properties: { ...properties, config: jsonSchema(CONFIG_SCHEMA) } }
}

/** Durations and sizes as patterns, which JSON Schema knows; their bounds and what `check` names stay the program's to judge. */
function jsonSchema({ expects, duration, size, ...schema }: KeySchema): JsonSchema {
  const { properties, items, default: value, ...rest } = schema
  return {
    description: expects,
    ...rest,
    check: undefined,
    ...(duration !== undefined && { pattern: DURATION, minLength: 2 }),
    ...(size !== undefined && { pattern: '^[0-9]{1,9}(B|KiB|MiB|GiB)$' }),
    // A pod has no port that one could find by chance.
    ...(rest['maximum'] === 65_535 && { description: 'a port from 1 to 65535', minimum: 1 }),
    ...(value !== undefined && !properties && { default: value }),
    ...(items && { items: jsonSchema(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, jsonSchema(property)]),
      ),
    }),
  }
}

/** As `parseDuration` reads them; Go's expressions, which Helm uses, look neither ahead nor back. */
const DURATION = '^([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,9}ms)?$'
