import { isDeepStrictEqual } from 'node:util'
import {
  picked,
  placesOf,
  type Companion,
  type CompanionRow,
  type Served,
} from '../domain/companions/companion.ts'
import { linkText, linkTextOf, NO_CONFIGURED_NAMES, type ConfiguredNames } from '../domain/companions/link.ts'
import type { Workload, WorkloadKey } from '../domain/workload/workload.ts'
import type { KubernetesObject } from './api-object.ts'
import type { Sink } from './reflector.ts'
import { VersionedStore } from './versioned-store.ts'

/** Called for one change; `before` undefined: added; `after` undefined: deleted. */
export type CompanionListener = (before: Companion | undefined, after: Companion | undefined) => void

const NONE: readonly Companion[] = []

/** The newest copy of each object of one row, by its name and by the workloads beside which it stands. */
export class CompanionStore {
  readonly #copies = new VersionedStore<Companion>({
    notify: (before, after) => this.#changed(before, after),
  })
  /** By `linkText`, before the kind of a target is resolved: almost always one. */
  readonly #linked = new Map<string, readonly Companion[]>()
  readonly #row: CompanionRow
  readonly #notify: CompanionListener
  readonly #names: ConfiguredNames
  #served: Served | undefined

  constructor(row: CompanionRow, notify: CompanionListener, names: ConfiguredNames = NO_CONFIGURED_NAMES) {
    this.#row = row
    this.#notify = notify
    this.#names = names
  }

  /** Takes the objects that the cluster serves there. */
  sink(served: Served): Sink<KubernetesObject> {
    this.#served = served
    return this.#copies.sink((object) => trimCompanion(this.#row, served, object))
  }

  get(namespace: string, name: string): Companion | undefined {
    return this.#copies.get({ namespace, name })
  }

  list(): Iterable<Companion> {
    return this.#copies.list()
  }

  /** Those that stand beside a workload; the owner of one is found by its copy alone. */
  of(workload: WorkloadKey & Partial<Pick<Workload, 'owner'>>): readonly Companion[] {
    if (!this.#served || this.#linked.size === 0) return NONE
    const text = linkTextOf({ owner: undefined, ...workload }, this.#row, this.#served, this.#names)
    return (text !== undefined && this.#linked.get(text)) || NONE
  }

  /** Stores the result of our own write if it is newer than our copy. */
  applied(after: Companion): void {
    this.#copies.applied(after)
  }

  /** Their definition was deleted, and they with it. */
  clear(): void {
    for (const companion of this.#copies.list()) this.#copies.delete(companion)
  }

  /** Many controllers write a status at each poll: that notifies nobody. */
  #changed(before: Companion | undefined, after: Companion | undefined): void {
    if (before) this.#unlink(before)
    if (after) {
      const text = linkText(after)
      this.#linked.set(text, [...(this.#linked.get(text) ?? NONE), after])
    }
    const resourceVersion = after?.resourceVersion
    if (!before || !isDeepStrictEqual({ ...before, resourceVersion }, after)) this.#notify(before, after)
  }

  #unlink(companion: Companion): void {
    const text = linkText(companion)
    const others = (this.#linked.get(text) ?? NONE).filter(({ name }) => name !== companion.name)
    if (others.length === 0) this.#linked.delete(text)
    else this.#linked.set(text, others)
  }
}

/** The object, trimmed to the places of its row. */
export function trimCompanion(row: CompanionRow, served: Served, object: KubernetesObject): Companion {
  const { metadata } = object
  return {
    row,
    served,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    deleting: metadata.deletionTimestamp != null,
    object: picked(object, placesOf(row)),
  }
}
