import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../clock.ts'
import type { Tokens, User } from './authentication.ts'
import { fromCoreEvent, toCoreEvent } from '../store/events.ts'
import { page, refuseInitialEvents, selection } from './lists.ts'
import { isRecord, text } from '../store/object.ts'
import type { StoredObject } from '../store/object.ts'
import type { Faults } from './faults.ts'
import { applyPatch } from '../store/patch.ts'
import { Presentation } from './presentation.ts'
import type { DeleteOptions, Registry, Target, WriteOptions } from '../store/registry.ts'
import { fieldManager, isDryRun, mustBeObjectType, wholeNumber } from './request.ts'
import type { Form, Route } from './request.ts'
import { isStored, served } from '../store/resources.ts'
import { requestToken, review } from './reviews.ts'
import type { ReviewContext } from './reviews.ts'
import { fromScale, toScale } from '../store/scale.ts'
import { both } from '../store/selectors.ts'
import { StatusError, success } from '../store/status.ts'
import type { Watches } from './watch.ts'
import type { Requester, Writes } from './writes.ts'

export interface ResourceParts {
  registry: Registry
  writes: Writes
  watches: Watches
  tokens: Tokens
  faults: Faults
  clock: Clock
}

export interface Answer {
  code: number
  body: string
  type?: string
  headers?: Record<string, string>
}

export interface Call {
  request: IncomingMessage
  response: ServerResponse
  method: string
  route: Route
  query: URLSearchParams
  form: Form
  user: User
  body: unknown
  type: string
  /** Tells the client something beside the answer. */
  warn: (text: string) => void
}

const CORE_EVENTS = served('', 'events')

/** Does what the call asks of a resource; undefined when the response is written bit by bit (a watch). */
export async function serve(call: Call, parts: ResourceParts): Promise<Answer | undefined> {
  const { method, route } = call
  if (!isStored(route.resource)) return method === 'POST' ? reviewed(call, parts) : notAllowed()
  if (route.subresource === 'token') return method === 'POST' ? token(call, parts) : notAllowed()
  if (route.name === undefined) return collection(call, parts)
  switch (method) {
    case 'GET':
      return call.query.get('watch') === 'true' || call.query.get('watch') === '1'
        ? watch(call, parts)
        : shown(call, parts, parts.registry.get(target(route)))
    case 'PUT':
      mustBeObjectType(call.request)
      return written(call, parts, () => call.body)
    case 'PATCH':
      return written(call, parts, applyPatch(call.type, call.body))
    case 'DELETE':
      return removed(call, parts)
    default:
      return notAllowed()
  }
}

async function collection(call: Call, parts: ResourceParts): Promise<Answer | undefined> {
  const { query, route } = call
  switch (call.method) {
    case 'GET': {
      if (query.get('watch') === 'true' || query.get('watch') === '1') return watch(call, parts)
      const { objects, metadata } = page(parts.registry.store, route, query)
      return ok(presentation(call, parts).many(objects, metadata))
    }
    case 'POST':
      return created(call, parts)
    case 'DELETE': {
      await parts.writes.admitDeletion(route, deleteOptions(call), requester(call))
      const { objects, metadata } = page(parts.registry.store, route, query)
      for (const { metadata } of objects)
        parts.registry.delete(
          { ...target(route), namespace: metadata.namespace, name: metadata.name },
          deleteOptions(call),
        )
      return ok(presentation(call, parts).many(objects, metadata))
    }
    default:
      return notAllowed()
  }
}

function watch(call: Call, { watches, clock }: ResourceParts): undefined {
  const { query, route } = call
  refuseInitialEvents(query)
  const { name } = route
  const named =
    name === undefined ? undefined : (object: { metadata: { name: string } }) => object.metadata.name === name
  const since = wholeNumber(query, 'resourceVersion')
  watches.open(call.response, {
    store: route.resource.store,
    namespace: route.namespace,
    matcher: both(selection(query), named),
    since: since === 0 ? undefined : since,
    bookmarks: query.get('allowWatchBookmarks') === 'true' || query.get('allowWatchBookmarks') === '1',
    timeoutSeconds: wholeNumber(query, 'timeoutSeconds'),
    presentation: presentation(call, { clock }),
  })
}

async function created(call: Call, parts: ResourceParts): Promise<Answer> {
  const { resource, namespace } = call.route
  if (resource.namespaced && namespace === undefined) return notAllowed()
  mustBeObjectType(call.request)
  const isNewEvent = resource.group === 'events.k8s.io'
  const body = isNewEvent ? toCoreEvent(call.body) : call.body
  const object = await parts.writes.create(
    storedAs(call.route),
    namespace,
    body,
    writeOptions(call),
    requester(call),
  )
  return { code: 201, body: presentation(call, parts).one(object) }
}

async function written(call: Call, parts: ResourceParts, change: (seen: object) => unknown): Promise<Answer> {
  const { route } = call
  const place = { ...target(route), resource: storedAs(route) }
  const options = writeOptions(call)
  if (route.subresource === 'scale') {
    const scaled = await parts.writes.update(
      place,
      (stored) => fromScale(route.resource, stored, change(toScale(stored))),
      { ...options, subresource: 'scale' },
      requester(call),
    )
    return ok(JSON.stringify(toScale(scaled)))
  }
  const isNewEvent = route.resource.group === 'events.k8s.io'
  const object = await parts.writes.update(
    place,
    (stored) => (isNewEvent ? toCoreEvent(change(fromCoreEvent(stored))) : change(stored)),
    route.subresource === 'status' ? { ...options, subresource: 'status' } : options,
    requester(call),
  )
  return ok(presentation(call, parts).one(object))
}

async function removed(call: Call, { writes }: ResourceParts): Promise<Answer> {
  const { resource, name = '', subresource } = call.route
  if (subresource !== undefined) return notAllowed()
  const { metadata } = await writes.delete(target(call.route), deleteOptions(call), requester(call))
  const group = resource.group === '' ? {} : { group: resource.group }
  return ok(JSON.stringify(success({ name, ...group, kind: resource.plural, uid: metadata.uid })))
}

function shown(call: Call, parts: ResourceParts, object: StoredObject): Answer {
  if (call.route.subresource === 'scale') return ok(JSON.stringify(toScale(object)))
  return ok(presentation(call, parts).one(object))
}

async function reviewed(call: Call, parts: ResourceParts): Promise<Answer> {
  mustBeObjectType(call.request)
  const answer = await review(call.route.resource, call.body, call.user, reviewContext(parts))
  return { code: 201, body: JSON.stringify(answer) }
}

async function token(call: Call, parts: ResourceParts): Promise<Answer> {
  mustBeObjectType(call.request)
  const account = parts.registry.get(target(call.route))
  return { code: 201, body: JSON.stringify(await requestToken(account, call.body, reviewContext(parts))) }
}

const ok = (body: string): Answer => ({ code: 200, body })

function notAllowed(): never {
  throw new StatusError(405, 'the server does not allow this method on the requested resource')
}

const target = ({ resource, namespace, name = '' }: Route): Target => ({ resource, namespace, name })

const storedAs = ({ resource }: Route) => (resource.store === CORE_EVENTS.store ? CORE_EVENTS : resource)

const presentation = (call: Call, { clock }: Pick<ResourceParts, 'clock'>) =>
  new Presentation(call.route.resource, call.form, call.query.get('includeObject'), clock)

const reviewContext = ({ registry, tokens, clock, faults }: ResourceParts): ReviewContext => ({
  tokens,
  store: registry.store,
  clock,
  allows: (question) => faults.allows(question),
})

function writeOptions({ request, query, route }: Call): WriteOptions {
  return { manager: fieldManager(request, query), dryRun: isDryRun(route.resource, query) }
}

/** As admission names them: to it, a PATCH is an update. */
const OPTIONS: Record<string, string> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'UpdateOptions',
  DELETE: 'DeleteOptions',
}

function requester({ method, query, body, route, user, warn }: Call): Requester {
  const parameters = Object.fromEntries(
    ['fieldManager', 'fieldValidation', 'propagationPolicy']
      .map((name) => [name, query.get(name)] as const)
      .filter(([, value]) => value !== null),
  )
  return {
    user,
    options: {
      ...(method === 'DELETE' && isRecord(body) ? body : {}),
      kind: OPTIONS[method],
      apiVersion: 'meta.k8s.io/v1',
      ...parameters,
      ...(isDryRun(route.resource, query) ? { dryRun: ['All'] } : {}),
    },
    warn,
  }
}

function deleteOptions({ body, query, route }: Call): DeleteOptions {
  const asked = isRecord(body) ? body : {}
  const policy = text(asked, 'propagationPolicy') || query.get('propagationPolicy')
  const [uid, resourceVersion] = ['uid', 'resourceVersion'].map((field) =>
    text(asked['preconditions'], field),
  )
  const dryRun = Array.isArray(asked['dryRun']) && asked['dryRun'].includes('All')
  return {
    orphan: policy === 'Orphan' || asked['orphanDependents'] === true,
    dryRun: dryRun || isDryRun(route.resource, query),
    preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
  }
}
