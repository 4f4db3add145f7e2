import type { Requester } from '../admission/client-writes.ts'
import { list, text } from '../store/object.ts'
import type { WriteOptions } from '../store/registry.ts'
import type { Resource } from '../store/resources.ts'
import { fromScale, toScale } from '../store/scale.ts'
import { invalid, methodNotAllowed, success, wrong } from '../store/status.ts'
import { ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { presentation, target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { mustBeObjectType } from './request.ts'

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
  const { resource, subresource } = call.route
  const isScale = subresource === 'scale'
  const object = await parts.writes.update(
    target(call.route),
    isScale ? (stored) => fromScale(resource, stored, change(toScale(stored))) : change,
    writeOptions(call),
    requester(call),
  )
  return ok(isScale ? JSON.stringify(toScale(object)) : presentation(call, parts).one(object))
}

/** No webhook reviews a deletion: Dormouse's asks for none. */
export function deleteOne(call: Call, { registry }: ResourceParts): Answer {
  const { resource, name = '', subresource } = call.route
  if (subresource !== undefined) throw methodNotAllowed()
  const dryRun = list(call.body, 'dryRun').includes('All') || isDryRun(resource, call.query)
  const policy = call.query.get('propagationPolicy') ?? text(call.body, 'propagationPolicy')
  const { metadata } = registry.delete(target(call.route), { dryRun, orphans: policy === 'Orphan' })
  const group = resource.group === '' ? {} : { group: resource.group }
  return ok(JSON.stringify(success({ name, ...group, kind: resource.plural, uid: metadata.uid })))
}

function writeOptions({ request, query, route: { resource, subresource } }: Call): WriteOptions {
  // As on the real API server: the parameter, else the first word of the User-Agent.
  const manager = query.get('fieldManager') ?? request.headers['user-agent']?.split('/')[0] ?? 'unknown'
  return {
    manager: manager.slice(0, 128),
    dryRun: isDryRun(resource, query),
    ...(subresource && { subresource }),
  }
}

/** The request's sender, and its options as admission sees them. */
function requester({ method, query, route, user, warn }: Call): Requester {
  const parameters = Object.fromEntries(
    ['fieldManager', 'fieldValidation']
      .map((name) => [name, query.get(name)] as const)
      .filter(([, value]) => value !== null),
  )
  return {
    user,
    options: {
      // To admission, a PATCH is an update.
      kind: method === 'POST' ? 'CreateOptions' : 'UpdateOptions',
      apiVersion: 'meta.k8s.io/v1',
      ...parameters,
      ...(isDryRun(route.resource, query) ? { dryRun: ['All'] } : {}),
    },
    warn,
  }
}

/** @throws StatusError 422 for another value than All */
function isDryRun(resource: Resource, query: URLSearchParams): boolean {
  const values = query.getAll('dryRun')
  if (values.some((value) => value !== 'All'))
    throw invalid(resource, '', [wrong('dryRun', values.join(), 'supported values: "All"')])
  return values.length > 0
}
