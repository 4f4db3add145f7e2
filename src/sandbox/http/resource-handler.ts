import { patchFrom } from '../store/patch.ts'
import { isStored } from '../store/resources.ts'
import { toScale } from '../store/scale.ts'
import { both } from '../store/selectors.ts'
import { methodNotAllowed } from '../store/status.ts'
import { ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { presentation, target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { page, refuseInitialEvents, selection } from './lists.ts'
import { isTrue, mustBeObjectType, wholeNumber } from './request.ts'
import { create, deleteCollection, deleteOne, update } from './resource-writes.ts'
import { requestToken, review } from './reviews.ts'
import type { ReviewContext } from './reviews.ts'

/** Does what the call asks of a resource; undefined if it opened a watch, which writes its response itself. */
export async function serve(call: Call, parts: ResourceParts): Promise<Answer | undefined> {
  const { resource, subresource, name } = call.route
  if (!isStored(resource)) return reviewed(call, parts)
  if (subresource === 'token') return token(call, parts)
  if (call.method === 'GET' && isTrue(call.query, 'watch')) return watch(call, parts)
  return name === undefined ? collection(call, parts) : object(call, parts)
}

function collection(call: Call, parts: ResourceParts): Answer | Promise<Answer> {
  switch (call.method) {
    case 'GET':
      return list(call, parts)
    case 'POST':
      return create(call, parts)
    case 'DELETE':
      return deleteCollection(call, parts)
    default:
      throw methodNotAllowed()
  }
}

function object(call: Call, parts: ResourceParts): Answer | Promise<Answer> {
  switch (call.method) {
    case 'GET':
      return get(call, parts)
    case 'PUT':
      mustBeObjectType(call.request)
      return update(call, parts, () => call.body)
    case 'PATCH':
      return update(call, parts, patchFrom(call.type, call.body, call.route.resource))
    case 'DELETE':
      return deleteOne(call, parts)
    default:
      throw methodNotAllowed()
  }
}

function list(call: Call, parts: ResourceParts): Answer {
  const { objects, metadata } = page(parts.registry.store, call.route, call.query)
  return ok(presentation(call, parts).many(objects, metadata))
}

function get(call: Call, parts: ResourceParts): Answer {
  const object = parts.registry.get(target(call.route))
  if (call.route.subresource === 'scale') return ok(JSON.stringify(toScale(object)))
  return ok(presentation(call, parts).one(object))
}

/** Opens a watch on a collection, or on one object of it. */
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
    bookmarks: isTrue(query, 'allowWatchBookmarks'),
    timeoutSeconds: wholeNumber(query, 'timeoutSeconds'),
    presentation: presentation(call, { clock }),
  })
}

async function reviewed(call: Call, parts: ResourceParts): Promise<Answer> {
  if (call.method !== 'POST') throw methodNotAllowed()
  mustBeObjectType(call.request)
  const answer = await review(call.route.resource, call.body, call.user, reviewContext(parts))
  return { code: 201, body: JSON.stringify(answer) }
}

async function token(call: Call, parts: ResourceParts): Promise<Answer> {
  if (call.method !== 'POST') throw methodNotAllowed()
  mustBeObjectType(call.request)
  const account = parts.registry.get(target(call.route))
  return { code: 201, body: JSON.stringify(await requestToken(account, call.body, reviewContext(parts))) }
}

const reviewContext = ({ registry, tokens, clock }: ResourceParts): ReviewContext => ({
  tokens,
  store: registry.store,
  clock,
})
