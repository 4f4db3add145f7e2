import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { withDefaults } from './defaults.ts'
import type { KubeObject, ObjectMeta, StoredObject } from './object.ts'
import type { Resource, Subresource } from './resources.ts'
import { badRequest, invalid, required } from './status.ts'

/**
 * A new object out of what was sent: named, with defaults, without a status. `created`: RFC 3339.
 * @throws StatusError 400, 422 without a name
 */
export function newObject(
  resource: Resource,
  namespace: string | undefined,
  sent: KubeObject,
  created: string,
): KubeObject {
  const metadata = newMetadata(resource, namespace, sent.metadata, created)
  return withDefaults(resource, { ...withoutStatus(resource, sent), metadata })
}

/** The new object as admission left it; admission cannot change the fields that the server gives. */
export function admittedObject(resource: Resource, draft: KubeObject, admitted: KubeObject): KubeObject {
  const object = withDefaults(resource, withoutStatus(resource, admitted))
  return { ...object, metadata: { ...object.metadata, ...serverFields(draft.metadata) } }
}

/**
 * An update's object out of what was sent: the status changes through its own subresource alone, and the
 * generation grows with the fields that count for it.
 */
export function updatedObject(
  resource: Resource,
  previous: StoredObject,
  sent: KubeObject,
  subresource: Subresource | undefined,
): KubeObject {
  const metadata: ObjectMeta = { ...sent.metadata, ...serverFields(previous.metadata) }
  if (subresource === 'status') {
    // Only Deployments keep their labels in a status write; annotations and owners change with any kind.
    if (resource.plural === 'deployments') {
      if (previous.metadata.labels) metadata.labels = previous.metadata.labels
      else delete metadata.labels
    }
    const { status: _status, ...rest } = previous
    return { ...rest, metadata, ...(sent.status ? { status: sent.status } : {}) }
  }
  const { status: _status, ...rest } = sent
  const kept = resource.subresources.includes('status')
    ? { ...rest, ...(previous.status ? { status: previous.status } : {}) }
    : sent
  const object = withDefaults(resource, { ...kept, metadata })
  if (changesGeneration(resource, previous, object))
    object.metadata = { ...object.metadata, generation: (previous.metadata.generation ?? 0) + 1 }
  return object
}

const SERVER_FIELDS = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
] as const

/** Given by the server: no write of a client changes. */
export function serverFields<Meta extends ObjectMeta>(
  metadata: Meta,
): Pick<Meta, (typeof SERVER_FIELDS)[number]> {
  const given = SERVER_FIELDS.filter((field) => metadata[field] !== undefined)
  return Object.fromEntries(given.map((field) => [field, metadata[field]])) as Meta
}

/** The five characters that the API server appends to a generateName. */
export function suffix(): string {
  return Array.from({ length: 5 }, () => SUFFIX_CHARACTERS[randomInt(SUFFIX_CHARACTERS.length)]).join('')
}

const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789'

function newMetadata(
  resource: Resource,
  namespace: string | undefined,
  sent: ObjectMeta,
  created: string,
): ObjectMeta {
  if (sent.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
  const name = sent.name || (sent.generateName ? sent.generateName + suffix() : '')
  if (name === '')
    throw invalid(resource, '', [required('metadata.name', 'name or generateName is required')])
  const { resourceVersion: _version, uid: _uid, ...rest } = sent
  return {
    ...rest,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    creationTimestamp: created,
    ...(resource.generation === 'none' ? {} : { generation: 1 }),
  }
}

function withoutStatus(resource: Resource, object: KubeObject): KubeObject {
  if (!resource.subresources.includes('status')) return object
  const { status: _status, ...rest } = object
  return rest
}

function changesGeneration({ generation }: Resource, previous: KubeObject, object: KubeObject): boolean {
  if (generation === 'none') return false
  if (generation === 'webhooks') return !isDeepStrictEqual(previous['webhooks'], object['webhooks'])
  if (!isDeepStrictEqual(previous.spec, object.spec)) return true
  return (
    generation === 'spec and annotations' &&
    !isDeepStrictEqual(previous.metadata.annotations ?? {}, object.metadata.annotations ?? {})
  )
}
