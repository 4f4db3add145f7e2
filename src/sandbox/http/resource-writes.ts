import { fromCoreEvent, toCoreEvent } from '../store/events.ts'
import { served } from '../store/resources.ts'
import { fromScale, toScale } from '../store/scale.ts'
import { methodNotAllowed, success } from '../store/status.ts'
import { ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { presentation, target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { page } from './lists.ts'
import { mustBeObjectType } from './request.ts'
import type { Route } from './request.ts'
import { deleteOptions, requester, writeOptions } from './write-options.ts'

const CORE_EVENTS = served('', 'events')

export async function create(call: Call, parts: ResourceParts): Promise<Answer> {
  const { resource, namespace } = call.route
  if (resource.namespaced && namespace === undefined) throw methodNotAllowed()
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

export async function update(
  call: Call,
  parts: ResourceParts,
  change: (stored: object) => unknown,
): Promise<Answer> {
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

export async function deleteOne(call: Call, { writes }: ResourceParts): Promise<Answer> {
  const { resource, name = '', subresource } = call.route
  if (subresource !== undefined) throw methodNotAllowed()
  const { metadata } = await writes.delete(target(call.route), deleteOptions(call), requester(call))
  const group = resource.group === '' ? {} : { group: resource.group }
  return ok(JSON.stringify(success({ name, ...group, kind: resource.plural, uid: metadata.uid })))
}

/** Deletes the objects of a collection that the query selects, after one review of the whole. */
export async function deleteCollection(call: Call, parts: ResourceParts): Promise<Answer> {
  const { route, query } = call
  await parts.writes.admitDeletion(route, deleteOptions(call), requester(call))
  const { objects, metadata } = page(parts.registry.store, route, query)
  for (const { metadata } of objects)
    parts.registry.delete(
      { ...target(route), namespace: metadata.namespace, name: metadata.name },
      deleteOptions(call),
    )
  return ok(presentation(call, parts).many(objects, metadata))
}

/** The resource as which objects are stored: events of both groups are core events. */
const storedAs = ({ resource }: Route) => (resource.store === CORE_EVENTS.store ? CORE_EVENTS : resource)
