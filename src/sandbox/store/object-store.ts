import { randomUUID } from 'node:crypto'
import type { Clock } from '../../process/clock.ts'
import type { KubeObject, StoredObject } from './object.ts'
import { gone } from './status.ts'

export interface Change {
  version: number
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  store: string
  object: StoredObject
  previous: StoredObject | undefined
}

type Listener = (change: Change) => void

/** The number of changes that the log keeps; a watch or list from an older version gets 410. */
const HISTORY_LIMIT = 20_000

export const keyOf = (namespace: string | undefined, name: string) => `${namespace ?? ''}/${name}`

const keyIn = (object: KubeObject) => keyOf(object.metadata.namespace, object.metadata.name)

/** RFC 3339 in whole seconds, as metav1.Time is written. */
export const timestamp = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/**
 * Objects by resource, with one version counter and the log of all changes, like etcd and the watch cache of a
 * kube-apiserver. Each change has its own version, so an entry's index in the log follows from its version.
 */
export class ObjectStore {
  readonly #clock: Clock
  readonly #objects = new Map<string, Map<string, StoredObject>>()
  readonly #owned = new Map<string, Map<string, StoredObject>>()
  readonly #storeOf = new Map<string, string>()
  readonly #listeners = new Set<Listener>()
  #log: Change[] = []
  #version = 1
  #compacted = 1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get version(): number {
    return this.#version
  }

  get(store: string, namespace: string | undefined, name: string): StoredObject | undefined {
    return this.#objects.get(store)?.get(keyOf(namespace, name))
  }

  /** In the order of namespace and name, like etcd's keys. */
  list(store: string, namespace?: string): StoredObject[] {
    const objects = [...(this.#objects.get(store)?.entries() ?? [])]
    const inside =
      namespace === undefined ? objects : objects.filter(([key]) => key.startsWith(`${namespace}/`))
    return inside.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
  }

  /** The list as it was at a version. @throws StatusError 410 if the log no longer reaches back to it */
  listAt(store: string, namespace: string | undefined, version: number): StoredObject[] {
    const objects = new Map(this.list(store, namespace).map((object) => [keyIn(object), object]))
    for (const change of this.since(version).toReversed()) {
      if (change.store !== store) continue
      if (namespace !== undefined && change.object.metadata.namespace !== namespace) continue
      if (change.previous) objects.set(keyIn(change.object), change.previous)
      else objects.delete(keyIn(change.object))
    }
    return [...objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
  }

  create(store: string, object: KubeObject): StoredObject {
    return this.#apply('ADDED', store, object, undefined)
  }

  replace(store: string, previous: StoredObject, object: KubeObject): StoredObject {
    return this.#apply('MODIFIED', store, object, previous)
  }

  delete(store: string, previous: StoredObject): StoredObject {
    return this.#apply('DELETED', store, previous, previous)
  }

  /** Deletes everything in a namespace. */
  empty(namespace: string): void {
    for (const store of this.#objects.keys())
      for (const object of this.list(store, namespace)) this.delete(store, object)
  }

  /** The changes after a version. @throws StatusError 410 if the log no longer reaches back to it */
  since(version: number): Change[] {
    if (version < this.#compacted) throw gone(version, this.#compacted)
    return this.#log.slice(version - (this.#version - this.#log.length))
  }

  /** The objects of any resource that name this uid as an owner. */
  owned(uid: string): { store: string; object: StoredObject }[] {
    return [...(this.#owned.get(uid)?.values() ?? [])].map((object) => ({
      store: this.#storeOf.get(object.metadata.uid) ?? '',
      object,
    }))
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #apply(
    type: Change['type'],
    store: string,
    object: KubeObject,
    previous: StoredObject | undefined,
  ): StoredObject {
    const version = ++this.#version
    const metadata = {
      ...object.metadata,
      uid: previous?.metadata.uid ?? randomUUID(),
      resourceVersion: String(version),
      creationTimestamp: object.metadata.creationTimestamp ?? timestamp(this.#clock()),
    }
    const stored: StoredObject = { ...object, metadata }
    const objects = this.#objects.get(store) ?? new Map<string, StoredObject>()
    this.#objects.set(store, objects)
    if (type === 'DELETED') objects.delete(keyIn(stored))
    else objects.set(keyIn(stored), stored)
    this.#index(type, store, stored, previous)
    this.#append({ version, type, store, object: stored, previous })
    return stored
  }

  #index(
    type: Change['type'],
    store: string,
    object: StoredObject,
    previous: StoredObject | undefined,
  ): void {
    const { uid } = object.metadata
    for (const owner of previous?.metadata.ownerReferences ?? []) {
      const owned = this.#owned.get(owner.uid)
      owned?.delete(uid)
      if (owned?.size === 0) this.#owned.delete(owner.uid)
    }
    this.#storeOf.delete(uid)
    if (type === 'DELETED') return
    this.#storeOf.set(uid, store)
    for (const owner of object.metadata.ownerReferences ?? []) {
      const owned = this.#owned.get(owner.uid) ?? new Map<string, StoredObject>()
      this.#owned.set(owner.uid, owned.set(uid, object))
    }
  }

  #append(change: Change): void {
    this.#log.push(change)
    this.#compacted = Math.max(this.#compacted, this.#version - HISTORY_LIMIT)
    if (this.#log.length > 2 * HISTORY_LIMIT) this.#log = this.#log.slice(-HISTORY_LIMIT)
    for (const listener of this.#listeners) listener(change)
  }
}
