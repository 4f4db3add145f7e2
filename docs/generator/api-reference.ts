import { operations, type Parameter } from '../../src/service/api/openapi/document.ts'
import { QUERY_PARAMETERS } from '../../src/service/api/openapi/parameters.ts'
import { EXPECTED, READ_AS, type Schema } from '../../src/domain/json-schema.ts'
import { SCHEMAS } from '../../src/service/api/openapi/schemas.ts'
import { code, table } from './page.ts'

/** All calls, bodies and records of the OpenAPI document, as tables. */
export function apiReference(): string {
  return [
    '### Operations',
    table(['Call', 'What it does', 'Query', 'Body'], operationRows()),
    '### In queries',
    table(['Name', 'Meaning', 'Value'], queryRows()),
    '### In bodies',
    table(['Body', 'Property', 'Meaning', 'Value'], bodyRows()),
    ...[
      'StatusRecord',
      'Operation',
      'Transition',
      'BulkItem',
      'NamespaceRecord',
      'NextChange',
      'Saved',
    ].flatMap((name) => [
      `### ${described(SCHEMAS[name] ?? {})} (\`${name}\`)`,
      table(['Field', 'Type', 'Meaning'], fieldRows(SCHEMAS[name] ?? {})),
    ]),
  ].join('\n\n')
}

function operationRows(): string[][] {
  return operations().map(({ method, path, operation }) => {
    const query = operation.parameters.filter(isInQuery).map(({ name }) => code(name))
    const body = operation.requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
    return [
      code(`${method.toUpperCase()} ${path.replace('/api/v1', '') || '/'}`),
      operation.summary,
      query.join(' '),
      body === undefined || body === 'Nothing' ? '' : code(body),
    ]
  })
}

function isInQuery(parameter: Parameter): boolean {
  return parameter.in === 'query'
}

function queryRows(): string[][] {
  return Object.entries(QUERY_PARAMETERS).map(([name, { description, schema }]) => [
    code(name),
    description,
    valueOf(schema),
  ])
}

function bodyRows(): string[][] {
  return ['Setting', 'Override'].flatMap((body) =>
    Object.entries(SCHEMAS[body]?.properties ?? {}).map(([name, schema]) => [
      code(body),
      code(name),
      described(schema) || described(SCHEMAS[body] ?? {}),
      valueOf(schema),
    ]),
  )
}

function fieldRows(schema: Schema): string[][] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => [
    code(name),
    typeOf(field),
    described(field),
  ])
}

function valueOf(schema: Schema): string {
  const { enum: values, default: standard, examples, type } = schema as Record<string, unknown>
  const isAll = Array.isArray(values) && !(READ_AS in schema)
  const said = schema[EXPECTED] ?? (isAll ? choices(values) : undefined)
  const example = Array.isArray(examples) ? `such as ${code(String(examples[0]))}` : undefined
  const form = String(said ?? example ?? (type === 'boolean' ? '`true` or `false`' : type))
  return standard === undefined ? form : `${form}; ${code(JSON.stringify(standard))} if not given`
}

function typeOf(schema: Schema): string {
  const { enum: values, type, format: form, items, anyOf, $ref } = schema as Record<string, unknown>
  if (typeof $ref === 'string') return code($ref.split('/').at(-1) ?? '')
  if (Array.isArray(values)) return choices(values)
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(each as Schema)).join(' or ')
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Schema)}`
  const types = [type]
    .flat()
    .map((each) => (form === 'date-time' && each === 'string' ? 'time' : String(each)))
  return types.join(' or ')
}

function choices(values: readonly unknown[]): string {
  return values.map((value) => code(String(value))).join(', ')
}

function described({ description = '' }: Schema): string {
  return typeof description === 'string' ? description : ''
}
