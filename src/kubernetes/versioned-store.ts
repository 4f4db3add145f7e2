import { isDeepStrictEqual } from 'node:util'
import { compareVersions, isOlder } from '../domain/workload/workload.ts'
import type { KubernetesObject } from './api-object.ts'
import { OUTRANKS_NONE, type Outranks, type Sink } from './reflector.ts'

/** The copy of an object; a cluster-scoped one has no namespace. */
interface Versioned {
  readonly namespace?: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

type Key = Pick<Versioned, 'namespace' | 'name'>

interface Options<T> {
  /** Called for one change; `before` undefined: added; `after` undefined: deleted. */
  readonly notify: (before: T | undefined, after: T | undefined) => void
  /** Returns the copy to keep when a newer one arrives; `before` itself: no field that is read has changed. */
  readonly merge?: (before: T, after: T) => T
  /** Whether the same version of an object was read in another form: its definition moved to another API version. */
  readonly isInOtherForm?: (before: T, after: T) => boolean
}

/** The newest copy of each object; an older one never replaces it. */
export class VersionedStore<T extends Versioned> {
  readonly #options: Options<T>
  readonly #namespaces = new Map<string, Map<string, T>>()
  /** Copies stored by `applied`: partly computed, so the watch's event of the same version still replaces them. */
  readonly #provisional = new WeakSet<T>()

  constructor(options: Options<T>) {
    this.#options = options
  }

  get({ namespace = '', name }: Key): T | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  *list(namespace?: string): Generator<T> {
    if (namespace !== undefined) yield* this.#namespaces.get(namespace)?.values() ?? []
    else for (const copies of this.#namespaces.values()) yield* copies.values()
  }

  /** The sink of a reflector; `trim` returns undefined for an object to leave out. */
  sink<Watched extends KubernetesObject>(trim: (object: Watched) => T | undefined): Sink<Watched> {
    return {
      put: (object, outranks) => {
        const copy = trim(object)
        if (copy) this.put(copy, outranks)
        else this.delete({ namespace: object.metadata.namespace ?? '', name: object.metadata.name })
      },
      delete: ({ metadata }) => this.delete(metadata),
      retain: (listed, outranks) => {
        for (const copy of this.list()) {
          const isListed = listed.has(`${copy.namespace ?? ''}/${copy.name}`)
          if (!isListed && outranks(copy.resourceVersion)) this.delete(copy)
        }
      },
    }
  }

  /** Stores an object of a list or watch; an older version only if it `outranks` our copy. */
  put(object: T, outranks: Outranks = OUTRANKS_NONE): void {
    const before = this.get(object)
    const order = before ? compareVersions(object.resourceVersion, before.resourceVersion) : 1
    // This also catches a late event of a deleted object whose name is in use again.
    if (before && order < 0 && !outranks(before.resourceVersion)) return
    if (before?.uid === object.uid) {
      if (order === 0 && !this.#provisional.has(before) && !this.#options.isInOtherForm?.(before, object))
        return
      const after = this.#merged(before, object)
      this.#set(after)
      if (order !== 0 ? after !== before : !isDeepStrictEqual(before, after))
        this.#options.notify(before, after)
      return
    }
    if (before) this.delete(before)
    this.#set(object)
    this.#options.notify(undefined, object)
  }

  /**
   * Stores the result of our own write if it is newer than our copy. Without a copy it does nothing: the object may be
   * deleted already, and then no event would ever remove it again.
   */
  applied(written: T): void {
    const before = this.get(written)
    if (before?.uid !== written.uid) return
    if (compareVersions(written.resourceVersion, before.resourceVersion) <= 0) return
    const after = this.#merged(before, written)
    this.#provisional.add(after)
    this.#set(after)
    if (after !== before) this.#options.notify(before, after)
  }

  /** With uid and version: does not delete an object created later under the same name. */
  delete(key: Key & Partial<Versioned>): void {
    const { namespace = '', name } = key
    const before = this.get(key)
    if (!before) return
    const { uid = before.uid, resourceVersion = before.resourceVersion } = key
    if (uid !== before.uid && isOlder({ resourceVersion }, before)) return
    const copies = this.#namespaces.get(namespace)
    copies?.delete(name)
    if (copies?.size === 0) this.#namespaces.delete(namespace)
    this.#options.notify(before, undefined)
  }

  #merged(before: T, after: T): T {
    return this.#options.merge ? this.#options.merge(before, after) : after
  }

  #set(copy: T): void {
    const { namespace = '', name } = copy
    const copies = this.#namespaces.get(namespace)
    if (copies) copies.set(name, copy)
    else this.#namespaces.set(namespace, new Map([[name, copy]]))
  }
}
