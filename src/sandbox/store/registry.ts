import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../process/clock.ts'
import { DEFINITIONS } from './custom-resources.ts'
import { managedFields } from './managed-fields.ts'
import type { KubeObject, ObjectMeta, StoredObject } from './object.ts'
import { timestamp } from './object-store.ts'
import type { ObjectStore } from './object-store.ts'
import { admittedObject, newObject, serverFields, updatedObject } from './preparation.ts'
import { groupVersion, served } from './resources.ts'
import type { Resource, Subresource, Target } from './resources.ts'
import { alreadyExists, badRequest, conflict, invalid, notFound, wrong } from './status.ts'
import { asObject, validate } from './validation.ts'

export interface WriteOptions {
  /** The field manager. */
  manager: string
  dryRun?: boolean
  subresource?: Subresource
}

/** An update before admission, and what it is based on. */
export interface Proposal {
  target: Target
  options: WriteOptions
  previous: StoredObject
  object: KubeObject
  /** As sent; undefined: the update replaces whatever version is stored. */
  resourceVersion: string | undefined
}

const NAMESPACES = served('', 'namespaces')
const SERVICE_ACCOUNTS = served('', 'serviceaccounts')

/**
 * The write path, as kube-apiserver's generic registry has it: decode, default, record the field managers; then
 * admission, if a client writes (see ClientWrites); then check the version, validate, store. The sandbox's own
 * controllers write through `create` and `update`, which call no webhook.
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

  /** @throws StatusError 400, 404 if there is no such namespace, 409, 422 */
  create(
    resource: Resource,
    namespace: string | undefined,
    body: unknown,
    options: WriteOptions,
  ): StoredObject {
    return this.insert(resource, this.draft(resource, namespace, body, options), options)
  }

  /**
   * The object that a create would store, not validated yet.
   * @throws StatusError 400, 404 if there is no such namespace
   */
  draft(resource: Resource, namespace: string | undefined, body: unknown, options: WriteOptions): KubeObject {
    const sent = asObject(resource, body)
    this.#checkNamespace(namespace, sent.metadata)
    const object = newObject(resource, namespace, sent, timestamp(this.#clock()))
    return this.#managed(resource, undefined, object, options)
  }

  /**
   * Stores a draft, or the object that admission made of it.
   * @throws StatusError 409, 422
   */
  insert(
    resource: Resource,
    draft: KubeObject,
    options: WriteOptions,
    admitted: KubeObject = draft,
  ): StoredObject {
    const object = admitted === draft ? draft : admittedObject(resource, draft, admitted)
    const { namespace, name } = object.metadata
    validate(resource, object)
    if (this.store.get(resource.store, namespace, name)) throw alreadyExists(resource, name)
    if (options.dryRun)
      return { ...object, metadata: { ...object.metadata, uid: randomUUID() } } as StoredObject
    const stored = this.store.create(resource.store, object)
    if (resource === NAMESPACES) this.#createDefaultAccount(name)
    return stored
  }

  /**
   * Stores the object that `change` makes of the stored one; if nothing changes, nothing is written.
   * @throws StatusError 400, 404, 409 for a stale resourceVersion or another uid, 422
   */
  update(target: Target, change: (stored: StoredObject) => unknown, options: WriteOptions): StoredObject {
    return this.commit(this.propose(target, change, options))
  }

  /** The object that an update would store, not validated yet. @throws StatusError 400, 404, 409 for another uid */
  propose(target: Target, change: (stored: StoredObject) => unknown, options: WriteOptions): Proposal {
    const { resource } = target
    const previous = this.get(target)
    const sent = asObject(resource, change(previous))
    checkIdentity(target, previous, sent.metadata)
    const updated = updatedObject(resource, previous, sent, options.subresource)
    const object = this.#managed(resource, previous, updated, options)
    return { target, options, previous, object, resourceVersion: sent.metadata.resourceVersion || undefined }
  }

  /** Whether the object has not been written since. */
  isCurrent({ target, previous }: Proposal): boolean {
    return this.store.get(target.resource.store, target.namespace, target.name) === previous
  }

  /**
   * Stores the proposed object, or the one that admission made of it.
   * @throws StatusError 409 for a stale resourceVersion or when the object was replaced since, 422
   */
  commit(proposal: Proposal, admitted?: KubeObject): StoredObject {
    const { target, options, previous, resourceVersion } = proposal
    const { resource, name } = target
    checkVersion(target, previous, resourceVersion)
    const object = admitted
      ? updatedObject(resource, previous, admitted, options.subresource)
      : proposal.object
    if (options.subresource !== 'status') validate(resource, object, previous)
    if (isDeepStrictEqual(object, previous) || options.dryRun)
      return { ...object, metadata: { ...object.metadata, ...serverFields(previous.metadata) } }
    if (!this.isCurrent(proposal)) throw conflict(resource, name)
    return this.store.replace(resource.store, previous, object)
  }

  /**
   * Deletes an object at once (finalizers are ignored), and with it those that it owns, unless they become orphans.
   * @throws StatusError 404
   */
  delete(target: Target, { dryRun = false, orphans = false } = {}): StoredObject {
    const object = this.get(target)
    if (dryRun) return object
    const deleted = this.store.delete(target.resource.store, object)
    const owned = orphans ? [] : this.store.owned(object.metadata.uid)
    for (const each of owned) this.#collect(each.store, each.object)
    if (target.resource === NAMESPACES) this.store.empty(target.name)
    // A definition's name is that of its objects' store.
    if (target.resource === DEFINITIONS)
      for (const custom of this.store.list(target.name)) this.store.delete(target.name, custom)
    return deleted
  }

  #collect(store: string, object: StoredObject): void {
    this.store.delete(store, object)
    for (const inner of this.store.owned(object.metadata.uid)) this.#collect(inner.store, inner.object)
  }

  #checkNamespace(namespace: string | undefined, sent: ObjectMeta): void {
    if (sent.namespace !== undefined && sent.namespace !== (namespace ?? ''))
      throw badRequest(
        `the namespace of the provided object does not match the namespace sent on the request (${namespace ?? ''})`,
      )
    if (namespace !== undefined && !this.store.get(NAMESPACES.store, undefined, namespace))
      throw notFound(NAMESPACES, namespace)
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

  /** On a real cluster, a controller creates it in each namespace. */
  #createDefaultAccount(namespace: string): void {
    const account = { metadata: { name: 'default' } }
    this.create(SERVICE_ACCOUNTS, namespace, account, { manager: 'kube-controller-manager' })
  }
}

/** The object sent is the one that the URL names. @throws StatusError 400, 409 for another uid */
function checkIdentity(target: Target, previous: StoredObject, sent: ObjectMeta): void {
  const { namespace, name } = target
  if ((sent.name || name) !== name)
    throw badRequest(`the name of the object (${sent.name}) does not match the name on the URL (${name})`)
  if ((sent.namespace ?? namespace) !== namespace)
    throw badRequest(
      `the namespace of the object (${sent.namespace ?? ''}) does not match the namespace on the URL (${namespace ?? ''})`,
    )
  const { uid } = previous.metadata
  if (sent.uid && sent.uid !== uid)
    throw conflict(
      target.resource,
      name,
      `Precondition failed: UID in precondition: ${sent.uid}, in object meta: ${uid}`,
    )
}

/** The resourceVersion sent, if any, is the stored one. @throws StatusError 409, 422 if the resource needs one */
function checkVersion({ resource, name }: Target, previous: StoredObject, sent: string | undefined): void {
  if (sent === undefined && !resource.unconditionalUpdate)
    throw invalid(resource, name, [
      wrong('metadata.resourceVersion', '0x0', 'must be specified for an update'),
    ])
  if (sent !== undefined && sent !== previous.metadata.resourceVersion) throw conflict(resource, name)
}
