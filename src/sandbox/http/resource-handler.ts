import { methodNotAllowed } from '../store/status.ts'
import { isStored } from '../store/resources.ts'
import { patchFrom } from '../store/patch.ts'
import type { Answer } from './answer.ts'
import { target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { isTrue, mustBeObjectType } from './request.ts'
import { get, list, watch } from './resource-reads.ts'
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
      return update(call, parts, patchFrom(call.type, call.body))
    case 'DELETE':
      return deleteOne(call, parts)
    default:
      throw methodNotAllowed()
  }
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

const reviewContext = ({ registry, tokens, clock, faults }: ResourceParts): ReviewContext => ({
  tokens,
  store: registry.store,
  clock,
  allows: (question) => faults.allows(question),
})
