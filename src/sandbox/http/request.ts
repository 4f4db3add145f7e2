import type { IncomingMessage } from 'node:http'
import { findCustomResource } from '../store/custom-resources.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { findResource } from '../store/resources.ts'
import type { Resource, Subresource } from '../store/resources.ts'
import { badRequest, StatusError } from '../store/status.ts'
import { fromProtobuf, PROTOBUF } from '../wire/protobuf.ts'

const BODY_LIMIT = 3 * 1024 * 1024

/** The end of a path: a resource's collection, one object of it, or a subresource of that object. */
export interface Route {
  resource: Resource
  namespace: string | undefined
  name: string | undefined
  subresource: Subresource | undefined
}

/** Reads `/api/v1/…` or `/apis/{group}/{version}/…`; undefined: nothing is served there. @throws StatusError 400 */
export function route(path: string, store: ObjectStore): Route | undefined {
  const steps = stepsOf(path)
  if (steps.at(-1) === '') steps.pop()
  const group = steps[0] === 'api' ? '' : steps[1]
  const [version, ...rest] = steps.slice(steps[0] === 'api' ? 1 : 2)
  if ((steps[0] !== 'api' && steps[0] !== 'apis') || group === undefined || version === undefined)
    return undefined

  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status'
  const [plural = '', name, sub, ...tooMuch] = inNamespace ? rest.slice(2) : rest
  const resource = findResource(group, version, plural) ?? findCustomResource(store, group, version, plural)
  if (!resource || tooMuch.length > 0) return undefined
  if (inNamespace ? !resource.namespaced : resource.namespaced && name !== undefined) return undefined
  const subresource = resource.subresources.find((each) => each === sub)
  if (sub !== subresource) return undefined
  return { resource, namespace: inNamespace ? rest[1] : undefined, name, subresource }
}

function stepsOf(path: string): string[] {
  try {
    return path.split('/').slice(1).map(decodeURIComponent)
  } catch {
    throw badRequest(`the path is not percent-encoded correctly: ${path}`)
  }
}

/** The form of the answer, which the client chooses by its Accept header. */
export type Form = 'object' | 'table' | 'metadata' | 'protobuf'

/** The first of the accepted forms that the sandbox has; protobuf only for who takes no JSON. @throws StatusError 406 */
export function acceptedForm(accept: string | undefined): Form {
  if (!accept) return 'object'
  let takesProtobuf = false
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    takesProtobuf ||= type === PROTOBUF && parameters.length === 0
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3)
    const isV1 = parameters.includes('v=v1')
    if (as === undefined) return 'object'
    if (as === 'Table' && isV1) return 'table'
    if ((as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') && isV1) return 'metadata'
  }
  if (takesProtobuf) return 'protobuf'
  throw new StatusError(
    406,
    'only the following media types are accepted: application/json (also as Table and as PartialObjectMetadata), ' +
      PROTOBUF,
  )
}

export const mediaType = (request: IncomingMessage) =>
  (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? ''

/** The body, parsed from JSON or protobuf; undefined when empty. @throws StatusError 400, 413, 415 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  // Keep the connection when a body is refused: the refusal is sent over it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > BODY_LIMIT) throw new StatusError(413, `Request entity too large: limit is ${BODY_LIMIT}`)
    chunks.push(bytes)
  }
  const body = Buffer.concat(chunks)
  if (body.toString().trim() === '') return undefined
  if (mediaType(request) === PROTOBUF) return fromProtobuf(body)
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw badRequest(`error decoding the body: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const OBJECT_TYPES = ['application/json', PROTOBUF]

/** @throws StatusError 415 */
export function mustBeObjectType(request: IncomingMessage): void {
  if (!OBJECT_TYPES.includes(mediaType(request)))
    throw new StatusError(
      415,
      `the body of the request was in an unknown format - accepted media types include: ${OBJECT_TYPES.join(', ')}`,
    )
}

/** @throws StatusError 400 */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (!value) return undefined
  if (!/^\d{1,15}$/.test(value))
    throw badRequest(`${name}: Invalid value: "${value}": expected a whole number`)
  return Number(value)
}

export function isTrue(query: URLSearchParams, name: string): boolean {
  return ['true', '1'].includes(query.get(name) ?? '')
}
