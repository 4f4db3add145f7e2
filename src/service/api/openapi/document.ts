import { KINDS, TYPES, typeOf, type Kind } from '../../../domain/kinds.ts'
import { HTTP_STATUS, type ErrorCode } from '../../../process/errors.ts'
import { ENTRIES, TAGS, type Entry, type Method, type OperationId, type Tag } from './entries.ts'
import { errorExample, EXAMPLES } from './examples.ts'
import { PATH_PARAMETERS, QUERY_PARAMETERS, type Described } from './parameters.ts'
import type { Schema } from '../../../domain/json-schema.ts'
import { replaced } from './schema.ts'
import { SCHEMAS } from './schemas.ts'

export type { OperationId } from './entries.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

/** One operation of the document. */
export interface Operation {
  readonly operationId: OperationId
  readonly summary: string
  readonly description: string
  readonly tags: readonly [Tag]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: {
    readonly required: false
    readonly content: Json
  }
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly []
}

interface Json {
  readonly 'application/json': { readonly schema: { readonly $ref: string }; readonly example?: unknown }
}

export const OPENAPI_PATH = '/api/v1/openapi.json'

/** A stream's schema is that of each event: tools read OpenAPI before 3.2 so, which lacks `itemSchema`. */
const EVENT_STREAM = {
  'text/event-stream': { schema: { $ref: '#/components/schemas/WatchEvent' } },
} as const

/** Answers to a request that the server does not read completely, whatever its operation. */
const NOT_TAKEN_IN = {
  408: 'the request took too long to arrive: send it faster',
  431: 'the headers are larger than 16 KiB: send less',
} as const

/** The OpenAPI 3.1 document: it makes the routes, validates requests, and tests check every answer against it. */
export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'Dormouse',
    version: '1.0.0',
    description: 'Puts Kubernetes workloads to sleep and wakes them. v1 only gains fields and endpoints.',
    contact: { name: 'Dormouse', url: 'https://github.com/dormouse-dev/dormouse' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'Where this document comes from' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: [{ bearer: [] }],
  paths: { ...paths(ENTRIES), [OPENAPI_PATH]: { get: describeItself() } },
  components: {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description:
          'A token of the cluster for the audience `dormouse`, of an OpenID provider, or of a key pair',
      },
    },
    schemas: SCHEMAS,
    responses: errorResponses(),
  },
}

/** The same with more kinds: they join every list of kinds, and of their types. */
export function withKinds<T>(described: T, configured: readonly Kind[]): T {
  if (configured.length === 0) return described
  const more = new Map([
    [KINDS, [...KINDS, ...configured]],
    [TYPES, [...TYPES, ...configured.map(typeOf)]],
  ])
  return replaced(described, more)
}

/** Every operation of the document, for the routes; the path of the document itself is left out. */
export function operations() {
  return ENTRIES.map((entry) => {
    const { method, path } = entry
    return { method, path, entry, operation: operationOf(entry) }
  })
}

function paths(
  entries: readonly (Entry & { id: OperationId })[],
): Record<string, Partial<Record<Method, Operation>>> {
  const found: Record<string, Partial<Record<Method, Operation>>> = {}
  for (const entry of entries)
    found[entry.path] = { ...found[entry.path], [entry.method]: operationOf(entry) }
  return found
}

function operationOf(entry: Entry & { id: OperationId }): Operation {
  const { id, summary, description, tag, path, query, body, answer } = entry
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => parameter('path', name))
  const inQuery = query.map((name) => parameter('query', name))
  const links = linksOf(entry, inPath)
  const isWatchable = query.some((name) => name === 'watch')
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: false, content: json(body, EXAMPLES[body]) } }),
    responses: {
      200: {
        description: 'Done',
        content: { ...json(answer, EXAMPLES[answer]), ...(isWatchable && EVENT_STREAM) },
        ...(Object.keys(links).length > 0 && { links }),
      },
      ...errorReferences(),
    },
  }
}

/** The next calls: for the next page, and for the workload that was changed or read. */
function linksOf({ id, query }: Entry & { id: OperationId }, inPath: readonly Parameter[]) {
  const same = (place: Parameter['in'], names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `$request.${place}.${name}`]))
  const path = inPath.map(({ name }) => name)
  const filters = query.filter((name) => name !== 'watch')
  return {
    ...(query.includes('continue') && {
      next: {
        operationId: id,
        description: 'The next page: the same filters, with `continue` unless it is null',
        parameters: {
          ...same('path', path),
          ...same('query', filters),
          continue: '$response.body#/continue',
        },
      },
    }),
    ...(path.includes('name') &&
      id !== 'read' && {
        workload: {
          operationId: 'read' satisfies OperationId,
          description: 'The same workload as it is now',
          parameters: same('path', path),
        },
      }),
  }
}

function parameter(place: Parameter['in'], name: string): Parameter {
  const known: Readonly<Record<string, Described>> = place === 'path' ? PATH_PARAMETERS : QUERY_PARAMETERS
  const described = known[name]
  if (!described) throw new TypeError(`unknown parameter ${name}`)
  return { name, in: place, required: place === 'path', ...described }
}

function describeItself(): object {
  const schema = {
    type: 'object',
    description: 'An OpenAPI document',
    additionalProperties: true,
    properties: { openapi: { type: 'string' } },
    required: ['openapi'],
  }
  const example = { openapi: '3.1.0' }
  return {
    operationId: 'describe',
    summary: 'This document',
    description: 'The OpenAPI 3.1 document that requests are checked by. Needs no token.',
    tags: ['Service' satisfies Tag],
    security: [],
    responses: {
      200: { description: 'The document', content: { 'application/json': { schema, example } } },
      400: { $ref: '#/components/responses/Error400' },
      429: { $ref: '#/components/responses/Error429' },
    },
  }
}

function json(schema: string, example: unknown): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } }
}

/** Error codes by HTTP status. */
function errorCodes(): [string, ErrorCode[]][] {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const [code, status] of Object.entries(HTTP_STATUS)) (byStatus[status] ??= []).push(code as ErrorCode)
  return Object.entries(byStatus)
}

function errorReferences(): Record<string, Schema> {
  const statuses = [...errorCodes().map(([status]) => status), ...Object.keys(NOT_TAKEN_IN)]
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  )
}

function errorResponses(): Record<string, Schema> {
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  const headers: Record<string, Schema> = {
    401: { 'WWW-Authenticate': header('What is wrong with the token (RFC 6750)') },
    405: { Allow: header('The methods of this path') },
    429: { 'Retry-After': header('Whole seconds') },
    503: { 'Retry-After': header('Whole seconds') },
  }
  const byCode = errorCodes().map(([status, codes]) => [
    `Error${status}`,
    {
      description: codes.join(', '),
      ...(headers[status] && { headers: headers[status] }),
      content: json('ErrorAnswer', errorExample(codes[0] ?? 'INTERNAL')),
    },
  ])
  const notTakenIn = Object.entries(NOT_TAKEN_IN).map(([status, message]) => [
    `Error${status}`,
    {
      description: `VALIDATION_ERROR: ${message}`,
      content: json('ErrorAnswer', errorExample('VALIDATION_ERROR', message)),
    },
  ])
  return Object.fromEntries([...byCode, ...notTakenIn]) as Record<string, Schema>
}
