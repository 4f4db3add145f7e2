import { EXPECTED, READ_AS, type Schema } from '../src/domain/json-schema.ts'
import { CONFIG_SCHEMA } from '../src/service/config/schema.ts'
import { PRECISE_PATTERN } from '../src/domain/schedule/duration.ts'
import { SCHEDULE_PATTERN } from '../src/domain/schedule/syntax.ts'
import { TIMEZONE_PATTERN } from '../src/domain/schedule/zone.ts'
import { KINDS } from '../src/domain/kinds.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** The chart's schema of values, with the part for `config` generated from the program's own schema. */
export function withConfigSchema(values: JsonSchema): JsonSchema {
  const { properties } = values as { properties: JsonSchema }
  return { ...values, properties: { ...properties, config: jsonSchema(CONFIG_SCHEMA) } }
}

/** As JSON Schema: durations, sizes and what is read become patterns; only the program checks the rest. */
function jsonSchema({
  [EXPECTED]: expected,
  [READ_AS]: reader,
  duration,
  size,
  ...schema
}: Schema): JsonSchema {
  const { properties, items, additionalProperties, propertyNames, default: value, ...rest } = schema
  return {
    description: expected,
    ...rest,
    ...(duration !== undefined && { pattern: `^${PRECISE_PATTERN}$`, minLength: 2 }),
    ...(typeof reader === 'string' && { pattern: CHECKED[reader] }),
    ...(size !== undefined && { pattern: '^[0-9]{1,9}(B|KiB|MiB|GiB)$' }),
    // Not 0, any free port: nobody could find it in a pod.
    ...(rest['maximum'] === 65_535 && { description: 'a port from 1 to 65535', minimum: 1 }),
    ...(value !== undefined && !properties && { default: value }),
    ...(items && { items: jsonSchema(items) }),
    ...(propertyNames && { propertyNames: jsonSchema(propertyNames) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? jsonSchema(additionalProperties) : additionalProperties,
    }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, jsonSchema(property)]),
      ),
    }),
  }
}

const CONFIGURED_KIND = String.raw`[a-z][a-z0-9-]*(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}`

/** By the name of the reader in `src/service/config/checks.ts`; each accepts all that the reader accepts, and a little more. */
const CHECKED: Readonly<Record<string, string>> = {
  schedule: SCHEDULE_PATTERN,
  labelSelector: String.raw`^[-0-9A-Za-z_./=!<>,()\s]*$`,
  timezone: TIMEZONE_PATTERN.replace(/^\^(.*)\$$/, '^(?i:$1)$'),
  kind: `^(${KINDS.join('|')}|${CONFIGURED_KIND})$`,
  configuredKind: `^${CONFIGURED_KIND}$`,
  webhookUrl: String.raw`^https://[^/?#@\s]+(/[^?#\s]*)?$`,
  signOutUrl: String.raw`^(/([^/\\\s]\S*)?|https://\S+)$`,
  portRange: '^[1-9][0-9]{3,4}-[1-9][0-9]{3,4}$',
  consoleUrl: String.raw`^https?://[^/?#@\s]+([/?][^#\s]*)?$`,
  jwksUri: String.raw`^(https://[^/?#@\s]+|http://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]+)?)([/?][^#\s]*)?$`,
}
