import { fromScale, toScale } from '../store/scale.ts'
import { methodNotAllowed, success } from '../store/status.ts'
import { ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { presentation, target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { mustBeObjectType } from './request.ts'
import { isDryDeletion, requester, writeOptions } from './write-options.ts'

export async function create(call: Call, parts: ResourceParts): Promise<Answer> {
  const { resource, namespace } = call.route
  if (resource.namespaced && namespace === undefined) throw methodNotAllowed()
  mustBeObjectType(call.request)
  const { body } = call
  const object = await parts.writes.create(resource, namespace, body, writeOptions(call), requester(call))
  return { code: 201, body: presentation(call, parts).one(object) }
}

export async function update(
  call: Call,
  parts: ResourceParts,
  change: (stored: object) => unknown,
): Promise<Answer> {
  const { route } = call
  const options = writeOptions(call)
  if (route.subresource === 'scale') {
    const scaled = await parts.writes.update(
      target(route),
      (stored) => fromScale(route.resource, stored, change(toScale(stored))),
      { ...options, subresource: 'scale' },
      requester(call),
    )
    return ok(JSON.stringify(toScale(scaled)))
  }
  const object = await parts.writes.update(
    target(route),
    change,
    route.subresource === 'status' ? { ...options, subresource: 'status' } : options,
    requester(call),
  )
  return ok(presentation(call, parts).one(object))
}

/** No webhook reviews a deletion: Dormouse's asks for none. */
export function deleteOne(call: Call, { registry }: ResourceParts): Answer {
  const { resource, name = '', subresource } = call.route
  if (subresource !== undefined) throw methodNotAllowed()
  const { metadata } = registry.delete(target(call.route), isDryDeletion(call))
  const group = resource.group === '' ? {} : { group: resource.group }
  return ok(JSON.stringify(success({ name, ...group, kind: resource.plural, uid: metadata.uid })))
}
