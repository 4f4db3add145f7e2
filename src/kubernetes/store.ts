import { isDeepStrictEqual } from 'node:util'
import type { Clock, Instant } from '../service/process/clock.ts'
import {
  compareVersions,
  isOlder,
  KINDS,
  podsFollowed,
  type Kind,
  type Workload,
  type WorkloadKey,
} from '../domain/workload/workload.ts'
import { OUTRANKS_NONE, type Outranks } from './reflector.ts'

/** Told of one change; `before` undefined: added; `after` undefined: deleted. */
export type ChangeListener = (before: Workload | undefined, after: Workload | undefined) => void

type Namespaces = Map<string, Map<string, Workload>>

/** The newest copy of each workload that we know; an older one never replaces it. */
export class WorkloadStore {
  readonly #kinds: ReadonlyMap<Kind, Namespaces>
  /** Stored by `applied`. They are partly computed, so the watch's event of the same version still replaces them. */
  readonly #provisional = new WeakSet<Workload>()
  readonly #notify: ChangeListener
  readonly #clock: Clock

  constructor(notify: ChangeListener, clock: Clock, kinds: readonly Kind[] = KINDS) {
    this.#kinds = new Map(kinds.map((kind) => [kind, new Map()]))
    this.#notify = notify
    this.#clock = clock
  }

  get({ kind, namespace, name }: WorkloadKey): Workload | undefined {
    return this.#kinds.get(kind)?.get(namespace)?.get(name)
  }

  *list(namespace?: string, kind?: Kind): Generator<Workload> {
    for (const each of kind === undefined ? this.#kinds.keys() : [kind]) {
      const namespaces = this.#kinds.get(each)
      if (namespace !== undefined) yield* namespaces?.get(namespace)?.values() ?? []
      else for (const workloads of namespaces?.values() ?? []) yield* workloads.values()
    }
  }

  /** Stores what a list or watch says: an older version too, where that `outranks` our copy. */
  put(told: Workload, outranks: Outranks = OUTRANKS_NONE): void {
    const before = this.get(told)
    if (!before || before.uid !== told.uid) {
      // Told late: its name was given anew since.
      if (before && isOlder(told, before) && !outranks(before.resourceVersion)) return
      if (before) this.delete(before)
      this.#set(told)
      this.#notify(undefined, told)
      return
    }
    const workload = withFollowed(before, told, this.#clock())
    const order = compareVersions(workload.resourceVersion, before.resourceVersion)
    if (order < 0 && !outranks(before.resourceVersion)) return
    if (order === 0 && !this.#provisional.has(before)) return
    this.#set(workload)
    if (order !== 0 || !isDeepStrictEqual(before, workload)) this.#notify(before, workload)
  }

  /**
   * Stores the result of a write of ours, if it is newer than our copy. Without a copy it does nothing: the
   * workload may be deleted already, and no event would ever remove it again.
   */
  applied(written: Workload): void {
    const before = this.get(written)
    if (before?.uid !== written.uid) return
    const workload = withFollowed(before, written, this.#clock())
    if (compareVersions(workload.resourceVersion, before.resourceVersion) <= 0) return
    this.#provisional.add(workload)
    this.#set(workload)
    this.#notify(before, workload)
  }

  /** With uid and version: not what was created again since. */
  delete(key: WorkloadKey & Partial<Pick<Workload, 'uid' | 'resourceVersion'>>): void {
    const namespaces = this.#kinds.get(key.kind)
    const workloads = namespaces?.get(key.namespace)
    const before = workloads?.get(key.name)
    if (!namespaces || !workloads || !before) return
    const { uid = before.uid, resourceVersion = before.resourceVersion } = key
    if (uid !== before.uid && isOlder({ resourceVersion }, before)) return
    workloads.delete(key.name)
    if (workloads.size === 0) namespaces.delete(key.namespace)
    this.#notify(before, undefined)
  }

  #set(workload: Workload): void {
    const namespaces = this.#kinds.get(workload.kind)
    const workloads = namespaces?.get(workload.namespace)
    if (workloads) workloads.set(workload.name, workload)
    else namespaces?.set(workload.namespace, new Map([[workload.name, workload]]))
  }
}

/** `after` with the instants at which we first saw its pods follow the spec, now and before the spec changed. */
function withFollowed(before: Workload, after: Workload, now: Instant): Workload {
  const { followedAt: _, ...pods } = after.pods
  const changed = before.generation !== after.generation
  const restated = before.annotations.state !== after.annotations.state
  // Only the first since our state was written: it ends that write's operation, and later ones do not concern it.
  const earlier = changed || !podsFollowed(after) ? followedBy(before, now) : undefined
  const followedBefore = restated ? undefined : (before.pods.followedBefore ?? earlier)
  const followedAt = podsFollowed(before) && !changed ? before.pods.followedAt : now
  return {
    ...after,
    // Most changes are a status's: what stays the same is kept once, and the new copy's is young garbage.
    annotations: kept(before.annotations, after.annotations),
    labels: kept(before.labels, after.labels),
    pods: {
      ...pods,
      ...(followedBefore === undefined ? {} : { followedBefore }),
      ...(podsFollowed(after) && followedAt !== undefined ? { followedAt } : {}),
    },
  }
}

function kept<T>(before: T, after: T): T {
  return isDeepStrictEqual(before, after) ? before : after
}

function followedBy(workload: Workload, now: Instant): Instant | undefined {
  if (!podsFollowed(workload)) return undefined
  return workload.pods.followedAt ?? workload.pods.updatedAt ?? now
}
