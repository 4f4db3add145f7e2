import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { readAs, SELDOM } from '../../domain/validation.ts'
import { stepOf } from '../../domain/json-pointer.ts'
import { Refusal } from '../../process/errors.ts'
import type { Input, ApiMiddleware } from './context.ts'
import { openapi, type Operation, type Parameter } from './openapi/document.ts'
import { READERS } from './openapi/formats.ts'
import { EXPECTED, READ_AS, type Schema } from '../../domain/json-schema.ts'

type Part = 'path' | 'query' | 'body'

interface RequestFault {
  readonly in: Part
  readonly pointer: string
  readonly message: string
}

/** Makes the compiler for schemas of the document, which it knows as `openapi`. It reports all faults at once. */
export function documentValidator(): Ajv2020 {
  const ajv = new Ajv2020(SELDOM)
  addFormats.default(ajv)
  ajv.addKeyword(EXPECTED)
  ajv.addKeyword(readAs(READERS))
  ajv.addVocabulary(Object.keys(openapi))
  ajv.addSchema(readAlone(openapi), 'openapi')
  return ajv
}

/** The document without an `enum` or a `format` beside a reader, which accepts more, and whose messages are better. */
function readAlone(document: object): Schema {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(READ_AS in value)) return value
    return { ...value, enum: undefined, format: undefined }
  }) as Schema
}

/** Puts path, query and body into `ctx.state.input` if they are valid by the document. @throws Refusal VALIDATION_ERROR */
export function validate(ajv: Ajv2020, { parameters, requestBody }: Operation): ApiMiddleware {
  const compiled = () => ({
    path: ajv.compile(parametersSchema(parameters, 'path')),
    query: ajv.compile(parametersSchema(parameters, 'query')),
    body: ajv.compile(bodySchema(requestBody?.content['application/json'].schema)),
  })
  // At the first request: to compile those of all routes takes longer than the rest of the API's start.
  let checks: ReturnType<typeof compiled> | undefined
  const types = new Map(parameters.map(({ name, schema }) => [name, schema.type]))

  return async (ctx, next) => {
    const { path, query, body } = (checks ??= compiled())
    const search = new URLSearchParams(ctx.querystring)
    const values = Object.fromEntries(
      [...search].map(([name, value]) => [name, typed(value, types.get(name))]),
    )
    const params: unknown = ctx['params']
    const input: unknown = { path: params, query: values, body: ctx.request.body }
    const faults = [
      ...faultsOf('path', path, params),
      ...faultsOf('query', query, values),
      ...repeated(search),
      ...faultsOf('body', body, ctx.request.body),
      ...repeatedProperties(ctx.request.rawBody, ctx.request.body),
    ]
    if (faults.length > 0) throw invalid(faults)
    ctx.state.input = input as Input
    await next()
  }
}

function parametersSchema(parameters: readonly Parameter[], part: Part): Schema {
  const properties = parameters.filter((each) => each.in === part).map(({ name, schema }) => [name, schema])
  return readAlone({
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  })
}

function bodySchema(schema: { $ref: string } | undefined): Schema {
  return { $ref: `openapi${schema?.$ref ?? '#/components/schemas/Nothing'}` }
}

/** Converts a query's text to its schema's type; a text that does not fit stays as it is, and the schema refuses it. */
function typed(value: string, type: unknown): unknown {
  if (type === 'integer' && /^(?:0|[1-9][0-9]{0,8})$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function faultsOf(part: Part, check: ValidateFunction, value: unknown): RequestFault[] {
  if (check(value)) return []
  const faults = new Map<string, RequestFault>()
  for (const error of check.errors ?? []) {
    const pointer = pointerOf(error)
    faults.set(pointer, { in: part, pointer, message: messageOf(error) })
  }
  return [...faults.values()]
}

function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword !== 'additionalProperties') return instancePath
  return `${instancePath}/${stepOf(String(params['additionalProperty']))}`
}

function messageOf({ keyword, message = 'is not valid', params, parentSchema }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `is not known here: ${knownNames(parentSchema)}`
  if (keyword === READ_AS) return message
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`
  const expected: unknown = parentSchema?.[EXPECTED] ?? (keyword === 'type' && TYPES[String(params['type'])])
  return typeof expected === 'string' ? `must be ${expected}` : message
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  string: 'a string',
  boolean: 'true or false',
}

function knownNames(schema: Schema | undefined): string {
  const names = Object.keys(schema?.properties ?? {})
  return names.length === 0 ? 'leave it out' : `there is ${names.join(', ')}`
}

function repeated(search: URLSearchParams): RequestFault[] {
  const names = [...search.keys()]
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...twice].map((name) => ({
    in: 'query',
    pointer: `/${stepOf(name)}`,
    message: 'must be given once',
  }))
}

/**
 * A valid body is a flat object of strings, so its text holds two strings for each property. More strings mean that
 * a property came twice, and that JSON.parse kept one of the two.
 */
function repeatedProperties(text: unknown, body: unknown): RequestFault[] {
  const strings = typeof text === 'string' ? [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].length : 0
  if (
    typeof body !== 'object' ||
    body === null ||
    Object.values(body).some((value) => typeof value !== 'string')
  )
    return []
  if (strings <= 2 * Object.keys(body).length) return []
  return [{ in: 'body', pointer: '', message: 'must give each property once' }]
}

/** 400, with every fault in its details. */
export function invalid(faults: readonly RequestFault[]): Refusal {
  const told = faults.map(
    ({ in: part, pointer, message }) => `${part}${pointer === '' ? '' : ` ${pointer}`} ${message}`,
  )
  return new Refusal('VALIDATION_ERROR', `${told.slice(0, 3).join('; ')}${told.length > 3 ? '; …' : ''}`, {
    details: { faults: faults.slice(0, 50) },
  })
}
