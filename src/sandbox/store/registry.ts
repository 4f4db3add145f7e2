import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../clock.ts'
import { withDefaults } from './defaults.ts'
import { managedFields } from './managed-fields.ts'
import type { KubeObject, ObjectMeta, StoredObject } from './object.ts'
import { timestamp } from './object-store.ts'
import type { ObjectStore } from './object-store.ts'
import { groupVersion, served } from './resources.ts'
import type { Resource } from './resources.ts'
import { alreadyExists, badRequest, conflict, invalid, notFound, wrong } from './status.ts'
import { asObject, validate } from './validation.ts'

export interface WriteOptions {
  /** The field manager. */
  manager: string
  dryRun?: boolean
  subresource?: 'status' | 'scale'
}

export interface DeleteOptions {
  dryRun?: boolean
  orphan?: boolean
  preconditions?: { uid?: string; resourceVersion?: string }
}

export interface Target {
  resource: Resource
  namespace: string | undefined
  name: string
}

/** An update that is ready but for admission, and what it was made of. */
export interface Proposal {
  target: Target
  options: WriteOptions
  previous: StoredObject
  object: KubeObject
  /** As sent; undefined: the update does not mind which version it replaces. */
  resourceVersion: string | undefined
}

const NAMESPACES = served('', 'namespaces')
const SERVICE_ACCOUNTS = served('', 'serviceaccounts')
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * The write path, as kube-apiserver's generic registry has it: decode, default, record the field managers, and
 * then, after admission where a client writes (see Writes), check the version, validate, store. What the sandbox's
 * own controllers write goes through `create` and `update`, which ask no webhook.
 */
export class Registry {
  readonly store: ObjectStore
  readonly #clock: Clock

  constructor(store: ObjectStore, clock: Clock) {
    this.store = store
    this.#clock = clock
  }

  /** @throws StatusError 404 */
  get({ resource, namespace, name }: Target): StoredObject {
    const object = this.store.get(resource.store, namespace, name)
    if (!object) throw notFound(resource, name)
    return object
  }

  /** @throws StatusError 400, 404 for a namespace that is not there, 409, 422 */
  create(
    resource: Resource,
    namespace: string | undefined,
    body: unknown,
    options: WriteOptions,
  ): StoredObject {
    return this.insert(resource, this.draft(resource, namespace, body, options), options)
  }

  /** What a create would store, not validated yet. @throws StatusError 400, 404 for a namespace that is not there */
  draft(resource: Resource, namespace: string | undefined, body: unknown, options: WriteOptions): KubeObject {
    const sent = asObject(resource, body)
    const metadata = this.#newMetadata(resource, namespace, sent.metadata)
    const object = withDefaults(resource, { ...withoutStatus(resource, sent), metadata })
    return this.#managed(resource, undefined, object, options)
  }

  /**
   * Stores a draft, or what admission made of it.
   * @throws StatusError 409, 422
   */
  insert(
    resource: Resource,
    draft: KubeObject,
    options: WriteOptions,
    admitted: KubeObject = draft,
  ): StoredObject {
    const { name, namespace, creationTimestamp, generation } = draft.metadata
    const whole = admitted === draft ? draft : withDefaults(resource, withoutStatus(resource, admitted))
    const object = {
      ...whole,
      metadata: {
        ...whole.metadata,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
        ...(generation === undefined ? {} : { generation }),
      },
    }
    validate(resource, object)
    if (this.store.get(resource.store, namespace, name)) throw alreadyExists(resource, name)
    if (options.dryRun) return { ...object, metadata: { ...object.metadata, uid: '', resourceVersion: '' } }
    const stored = this.store.create(resource.store, object)
    if (resource === NAMESPACES) this.#furnish(name)
    return stored
  }

  /**
   * Replaces what `change` makes of the stored object, unless that is what is stored already.
   * @throws StatusError 400, 404, 409 for a stale resourceVersion or another uid, 422
   */
  update(target: Target, change: (stored: StoredObject) => unknown, options: WriteOptions): StoredObject {
    return this.commit(this.propose(target, change, options))
  }

  /** What an update would store, not validated yet. @throws StatusError 400, 404, 409 for another uid */
  propose(target: Target, change: (stored: StoredObject) => unknown, options: WriteOptions): Proposal {
    const { resource } = target
    const previous = this.get(target)
    const sent = asObject(resource, change(previous))
    checkIdentity(target, previous, sent.metadata)
    const prepared = this.#prepared(resource, previous, sent, options)
    const object = this.#managed(resource, previous, prepared, options)
    return { target, options, previous, object, resourceVersion: sent.metadata.resourceVersion || undefined }
  }

  /** Whether nothing was written to the object since. */
  isCurrent({ target, previous }: Proposal): boolean {
    return this.store.get(target.resource.store, target.namespace, target.name) === previous
  }

  /**
   * Stores what was proposed, or what admission made of it.
   * @throws StatusError 409 for a stale resourceVersion or when the object was replaced since, 422
   */
  commit(proposal: Proposal, admitted?: KubeObject): StoredObject {
    const { target, options, previous, resourceVersion } = proposal
    const { resource, name } = target
    checkVersion(target, previous, resourceVersion)
    const object = admitted ? this.#prepared(resource, previous, admitted, options) : proposal.object
    if (options.subresource !== 'status') validate(resource, object, previous)
    if (isDeepStrictEqual(object, previous) || options.dryRun)
      return { ...object, metadata: { ...object.metadata, ...identity(previous) } }
    if (!this.isCurrent(proposal)) throw conflict(resource, name)
    return this.store.replace(resource.store, previous, object)
  }

  /** Deletes at once (finalizers hold nothing here), and with it what it owns. @throws StatusError 404, 409 */
  delete(target: Target, options: DeleteOptions = {}): StoredObject {
    const object = this.get(target)
    const { uid, resourceVersion } = options.preconditions ?? {}
    mustEqual(target, 'UID', uid, object.metadata.uid)
    mustEqual(target, 'ResourceVersion', resourceVersion, object.metadata.resourceVersion)
    if (options.dryRun) return object
    const deleted = this.store.delete(target.resource.store, object)
    for (const { store, object: owned } of this.store.owned(object.metadata.uid))
      if (options.orphan) this.store.replace(store, owned, withoutOwner(owned, object.metadata.uid))
      else this.#collect(store, owned)
    if (target.resource === NAMESPACES) this.store.empty(target.name)
    return deleted
  }

  #collect(store: string, object: StoredObject): void {
    this.store.delete(store, object)
    for (const inner of this.store.owned(object.metadata.uid)) this.#collect(inner.store, inner.object)
  }

  #newMetadata(resource: Resource, namespace: string | undefined, sent: ObjectMeta): ObjectMeta {
    if (sent.namespace !== undefined && sent.namespace !== (namespace ?? ''))
      throw badRequest(
        `the namespace of the provided object does not match the namespace sent on the request (${namespace ?? ''})`,
      )
    if (namespace !== undefined && !this.store.get(NAMESPACES.store, undefined, namespace))
      throw notFound(NAMESPACES, namespace)
    if (sent.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
    const name = sent.name || (sent.generateName ? sent.generateName + suffix() : '')
    if (name === '')
      throw invalid(resource, '', [
        {
          reason: 'FieldValueRequired',
          field: 'metadata.name',
          message: 'Required value: name or generateName is required',
        },
      ])
    const { resourceVersion: _version, uid: _uid, ...rest } = sent
    return {
      ...rest,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: timestamp(this.#clock()),
      ...(resource.generation === 'none' ? {} : { generation: 1 }),
    }
  }

  #prepared(
    resource: Resource,
    previous: StoredObject,
    sent: KubeObject,
    { subresource }: WriteOptions,
  ): KubeObject {
    const metadata: ObjectMeta = { ...sent.metadata, ...identity(previous) }
    if (subresource === 'status') {
      // Of the kinds with a status only Deployments keep their labels; annotations and owners change with any.
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
    if (grew(resource, previous, object))
      object.metadata = { ...object.metadata, generation: (previous.metadata.generation ?? 0) + 1 }
    return object
  }

  #managed(
    resource: Resource,
    previous: StoredObject | undefined,
    object: KubeObject,
    { manager, subresource }: WriteOptions,
  ): KubeObject {
    const entries = managedFields(previous, object, {
      manager,
      time: timestamp(this.#clock()),
      apiVersion: groupVersion(resource),
      ...(subresource === undefined ? {} : { subresource }),
    })
    const { managedFields: _old, ...metadata } = object.metadata
    return { ...object, metadata: entries.length > 0 ? { ...metadata, managedFields: entries } : metadata }
  }

  /** What a namespace is given by controllers of a real cluster. */
  #furnish(namespace: string): void {
    const account = { metadata: { name: 'default' } }
    this.create(SERVICE_ACCOUNTS, namespace, account, { manager: 'kube-controller-manager' })
  }
}

function checkIdentity(target: Target, previous: StoredObject, sent: ObjectMeta): void {
  const { namespace, name } = target
  if ((sent.name || name) !== name)
    throw badRequest(`the name of the object (${sent.name}) does not match the name on the URL (${name})`)
  if ((sent.namespace ?? namespace) !== namespace)
    throw badRequest(
      `the namespace of the object (${sent.namespace ?? ''}) does not match the namespace on the URL (${namespace ?? ''})`,
    )
  mustEqual(target, 'UID', sent.uid, previous.metadata.uid)
}

function checkVersion({ resource, name }: Target, previous: StoredObject, sent: string | undefined): void {
  if (sent === undefined && !resource.unconditionalUpdate)
    throw invalid(resource, name, [
      wrong('metadata.resourceVersion', '0x0', 'must be specified for an update'),
    ])
  if (sent !== undefined && sent !== previous.metadata.resourceVersion) throw conflict(resource, name)
}

function withoutStatus(resource: Resource, object: KubeObject): KubeObject {
  if (!resource.subresources.includes('status')) return object
  const { status: _status, ...rest } = object
  return rest
}

function identity({ metadata }: StoredObject) {
  const { name, namespace, uid, resourceVersion, creationTimestamp, generation } = metadata
  return {
    name,
    uid,
    resourceVersion,
    ...(namespace === undefined ? {} : { namespace }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(generation === undefined ? {} : { generation }),
  }
}

function grew({ generation }: Resource, previous: KubeObject, object: KubeObject): boolean {
  if (generation === 'none') return false
  if (generation === 'webhooks') return !isDeepStrictEqual(previous['webhooks'], object['webhooks'])
  if (!isDeepStrictEqual(previous.spec, object.spec)) return true
  return (
    generation === 'spec and annotations' &&
    !isDeepStrictEqual(previous.metadata.annotations ?? {}, object.metadata.annotations ?? {})
  )
}

function mustEqual(target: Target, what: string, wanted: string | undefined, found: string): void {
  if (wanted && wanted !== found)
    throw conflict(
      target.resource,
      target.name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    )
}

function withoutOwner(object: StoredObject, uid: string): KubeObject {
  const { ownerReferences = [], ...metadata } = object.metadata
  const others = ownerReferences.filter((owner) => owner.uid !== uid)
  return { ...object, metadata: others.length > 0 ? { ...metadata, ownerReferences: others } : metadata }
}

/** The five characters that the API server puts behind a generateName. */
export function suffix(): string {
  return Array.from({ length: 5 }, () => SUFFIX_CHARACTERS[randomInt(SUFFIX_CHARACTERS.length)]).join('')
}
