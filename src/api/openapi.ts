import { HTTP_STATUS, type ErrorCode } from '../errors.ts'
import { PATH_PARAMETERS, QUERY_PARAMETERS, SCHEMAS, type Schema } from './schemas.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

/** One operation of the document, with what a router needs to know of it. */
export interface Operation {
  readonly operationId: OperationId
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: {
    readonly required: false
    readonly content: Json
  }
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly []
}

interface Json {
  readonly 'application/json': { readonly schema: { readonly $ref: string } }
}

const WORKLOADS = '/api/v1/namespaces/{namespace}/{kind}'
const WORKLOAD = `${WORKLOADS}/{name}`
export const OPENAPI_PATH = '/api/v1/openapi.json'

interface Entry {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly query: readonly (keyof typeof QUERY_PARAMETERS)[]
  readonly body?: 'Setting' | 'Override' | 'Nothing'
  readonly answer: 'StatusAnswer' | 'ListAnswer' | 'PlanAnswer'
}

const write = { body: 'Nothing', answer: 'StatusAnswer' } as const
const filters = ['state', 'labelSelector', 'limit', 'continue'] as const

// prettier-ignore
const ENTRIES = [
  { id: 'listWorkloads', method: 'get', path: '/api/v1/workloads', summary: 'All workloads that you may see', query: ['namespace', 'kind', ...filters], answer: 'ListAnswer' },
  { id: 'listNamespace', method: 'get', path: WORKLOADS, summary: 'The workloads of a kind in a namespace', query: filters, answer: 'ListAnswer' },
  { id: 'read', method: 'get', path: WORKLOAD, summary: 'A workload', query: [], answer: 'StatusAnswer' },
  { id: 'readStatus', method: 'get', path: `${WORKLOAD}/status`, summary: 'A workload', query: [], answer: 'StatusAnswer' },
  { id: 'plan', method: 'get', path: `${WORKLOAD}/plan`, summary: 'What is to come if nobody acts', query: ['hours'], answer: 'PlanAnswer' },
  { id: 'enable', method: 'post', path: `${WORKLOAD}/enable`, summary: 'Let Dormouse manage a workload', query: ['dryRun', 'wait'], ...write, body: 'Setting' },
  { id: 'disable', method: 'post', path: `${WORKLOAD}/disable`, summary: 'Wake it and leave it alone', query: ['dryRun', 'wait'], ...write },
  { id: 'override', method: 'post', path: `${WORKLOAD}/override`, summary: 'Turn automatic behaviour off', query: ['dryRun'], ...write, body: 'Override' },
  { id: 'clearOverride', method: 'delete', path: `${WORKLOAD}/override`, summary: 'Turn automatic behaviour on again', query: ['dryRun'], ...write },
  { id: 'pin', method: 'post', path: `${WORKLOAD}/pin`, summary: 'Hold it in the state it is in', query: ['dryRun'], ...write },
  { id: 'unpin', method: 'delete', path: `${WORKLOAD}/pin`, summary: 'Let it go again', query: ['dryRun'], ...write },
  { id: 'snooze', method: 'post', path: `${WORKLOAD}/snooze`, summary: 'Put it to sleep', query: ['dryRun', 'wait', 'for', 'force'], ...write },
  { id: 'wake', method: 'post', path: `${WORKLOAD}/wake`, summary: 'Wake it', query: ['dryRun', 'wait', 'for', 'force'], ...write },
  { id: 'schedule', method: 'put', path: `${WORKLOAD}/schedule`, summary: 'Set or remove its schedule', query: ['dryRun'], ...write, body: 'Setting' },
] as const satisfies readonly Entry[]

export type OperationId = (typeof ENTRIES)[number]['id']

/** The OpenAPI 3.1 document: routes are made from it, requests validated by it, answers tested against it. */
export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'Dormouse',
    version: '1.0.0',
    description: 'Puts Kubernetes workloads to sleep and wakes them. v1 only gains fields and endpoints.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  security: [{ bearer: [] }],
  paths: { ...paths(ENTRIES), [OPENAPI_PATH]: { get: describeItself() } },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    schemas: SCHEMAS,
    responses: errorResponses(),
  },
}

/** What the routes are made of: every operation of the document but the document's own. */
export function operations(): { method: Method; path: string; operation: Operation }[] {
  return Object.entries(paths(ENTRIES)).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method as Method, path, operation })),
  )
}

function paths(
  entries: readonly (Entry & { id: OperationId })[],
): Record<string, Partial<Record<Method, Operation>>> {
  const found: Record<string, Partial<Record<Method, Operation>>> = {}
  for (const entry of entries)
    found[entry.path] = { ...found[entry.path], [entry.method]: operationOf(entry) }
  return found
}

function operationOf({ id, summary, path, query, body, answer }: Entry & { id: OperationId }): Operation {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: PATH_PARAMETERS[name] ?? {},
  }))
  const inQuery = query.map((name) => ({
    name,
    in: 'query' as const,
    required: false,
    ...QUERY_PARAMETERS[name],
  }))
  return {
    operationId: id,
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: false, content: json(body) } }),
    responses: { 200: { description: 'Done', content: json(answer) }, ...errorReferences() },
  }
}

function describeItself(): object {
  const content = { 'application/json': { schema: { type: 'object' } } }
  return {
    operationId: 'describe',
    summary: 'This document',
    security: [],
    responses: { 200: { description: 'The document', content } },
  }
}

function json(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}

/** The codes of each status, by the status. */
function errorCodes(): [string, ErrorCode[]][] {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const [code, status] of Object.entries(HTTP_STATUS)) (byStatus[status] ??= []).push(code as ErrorCode)
  return Object.entries(byStatus)
}

function errorReferences(): Record<string, Schema> {
  return Object.fromEntries(
    errorCodes().map(([status]) => [status, { $ref: `#/components/responses/Error${status}` }]),
  )
}

function errorResponses(): Record<string, Schema> {
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  const headers: Record<string, Schema> = {
    401: { 'WWW-Authenticate': header('What is wrong with the token (RFC 6750)') },
    405: { Allow: header('The methods that there are') },
    429: { 'Retry-After': header('Whole seconds') },
    503: { 'Retry-After': header('Whole seconds') },
  }
  return Object.fromEntries(
    errorCodes().map(([status, codes]) => [
      `Error${status}`,
      {
        description: codes.join(', '),
        ...(headers[status] && { headers: headers[status] }),
        content: json('ErrorAnswer'),
      },
    ]),
  )
}
