import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, ok, send, warningRecorder } from './answer.ts'
import type { Answer } from './answer.ts'
import { requestUser } from './authentication.ts'
import { discovery } from './discovery.ts'
import { acceptedForm, mediaType, readBody, route } from './request.ts'
import { serve } from './resource-handler.ts'
import type { ResourceParts } from './call.ts'
import { customResources } from '../store/custom-resources.ts'
import type { JsonRecord } from '../store/object.ts'
import { badRequest, StatusError, unknownPath } from '../store/status.ts'
import { PROTOBUF, toProtobuf } from '../wire/protobuf.ts'

export interface ServerParts extends ResourceParts {
  onError: (error: unknown, request: string) => void
  onRequest: (request: { method: string; url: string; userAgent: string }) => void
}

const PROBES = new Set(['/healthz', '/livez', '/readyz'])

/** Without schemas: kubectl asks for this when it is given a `List`, and then leaves validation to the server. */
const OPENAPI_V2 = { path: '/openapi/v2', type: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' }

/** Answers one request; every error is answered as a Status. */
export async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  parts: ServerParts,
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  try {
    parts.onRequest({ method, url, userAgent: request.headers['user-agent'] ?? '' })
    const answer = await answered(request, response, parts)
    if (answer) send(response, answer)
  } catch (error) {
    if (response.headersSent || request.socket.destroyed) return void response.destroy()
    if (error instanceof StatusError) return fail(response, error)
    parts.onError(error, `${method} ${url}`)
    fail(response, new StatusError(500, 'Internal error occurred: a bug of the sandbox; see its log'))
  }
}

async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  parts: ServerParts,
): Promise<Answer | undefined> {
  const { method = 'GET' } = request
  const url = parseUrl(request.url)
  const path = url.pathname
  if (method === 'GET') {
    if (PROBES.has(path)) return { code: 200, body: 'ok', type: 'text/plain' }
    if (path === OPENAPI_V2.path) return { code: 200, body: '', type: OPENAPI_V2.type }
    const document = discovery(path, request.headers.host ?? '', customResources(parts.registry.store))
    if (document) return ok(JSON.stringify(document))
  }
  const found = route(path, parts.registry.store)
  if (!found) throw unknownPath(path)
  const user = requestUser(request)
  const query = url.searchParams
  const form = acceptedForm(request.headers.accept)
  const readable = method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE'
  const body = readable ? await readBody(request) : undefined
  const warn = warningRecorder((headers) => response.setHeader('warning', headers))
  const answer = await serve(
    { request, response, method, route: found, query, form, user, body, type: mediaType(request), warn },
    parts,
  )
  if (form !== 'protobuf' || !answer) return answer
  const object: JsonRecord = JSON.parse(String(answer.body))
  // Every client reads a Status in JSON.
  return object['kind'] === 'Status' ? answer : { ...answer, type: PROTOBUF, body: toProtobuf(object) }
}

function parseUrl(url: string | undefined): URL {
  const parsed = URL.parse(url ?? '/', 'http://sandbox')
  if (!parsed) throw badRequest('the request line has no valid URL')
  return parsed
}
