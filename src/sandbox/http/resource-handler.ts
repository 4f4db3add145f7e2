import { patchFrom } from '../store/patch.ts'
import { isRecord } from '../store/object.ts'
import type { UserInfo } from '../store/object.ts'
import { groupVersion, isStored } from '../store/resources.ts'
import { toScale } from '../store/scale.ts'
import { both } from '../store/selectors.ts'
import { methodNotAllowed, StatusError } from '../store/status.ts'
import { ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { presentation, target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { page, selection } from './lists.ts'
import { isTrue, mustBeObjectType, wholeNumber } from './request.ts'
import { create, deleteOne, update } from './resource-writes.ts'

/** Does what the call asks of a resource; undefined if it opened a watch, which writes its response itself. */
export async function serve(call: Call, parts: ResourceParts): Promise<Answer | undefined> {
  const { resource, name } = call.route
  if (!isStored(resource)) return review(call)
  if (call.method === 'GET' && isTrue(call.query, 'watch')) return watch(call, parts)
  switch (`${call.method} ${name === undefined ? 'all' : 'one'}`) {
    case 'GET all':
      return list(call, parts)
    case 'POST all':
      return create(call, parts)
    case 'GET one':
      return get(call, parts)
    case 'PUT one':
      mustBeObjectType(call.request)
      return update(call, parts, () => call.body)
    case 'PATCH one':
      return update(call, parts, patchFrom(call.type, call.body, resource))
    case 'DELETE one':
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
  if (call.form === 'protobuf') throw new StatusError(406, 'the sandbox writes a watch in JSON alone')
  // So that clients list first, and then watch.
  if (query.has('sendInitialEvents')) throw new StatusError(422, 'sendInitialEvents: Forbidden: list first')
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

/** Answers a review, which is created but not stored: the sandbox allows everything, and has issued no token. */
function review({ method, request, route: { resource }, body, user }: Call): Answer {
  if (method !== 'POST') throw methodNotAllowed()
  mustBeObjectType(request)
  const sent = isRecord(body) ? body : {}
  const { kind } = resource
  const reviewed = { ...sent, kind, apiVersion: groupVersion(resource), status: reviewOf(kind, user) }
  return { code: 201, body: JSON.stringify(reviewed) }
}

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
}

function reviewOf(kind: string, user: UserInfo): object {
  if (kind === 'TokenReview') return { user: {}, error: 'the sandbox issues no tokens' }
  if (kind === 'SelfSubjectReview') return { userInfo: user }
  if (kind === 'SelfSubjectRulesReview') return EVERYTHING
  return { allowed: true, reason: 'the sandbox allows everything' }
}
