import { isDeepStrictEqual } from 'node:util'
import type { Clock, Instant } from '../process/clock.ts'
import {
  KINDS,
  podsFollowed,
  type Kind,
  type Workload,
  type WorkloadKey,
} from '../domain/workload/workload.ts'
import type { WorkloadObject } from './api-object.ts'
import type { Delivered } from './delivered.ts'
import type { Sink } from './reflector.ts'
import { trim, type ConfiguredFields, type Intern } from './trim.ts'
import { VersionedStore } from './versioned-store.ts'

/** Called for one change; `before` undefined: added; `after` undefined: deleted. */
export type ChangeListener = (before: Workload | undefined, after: Workload | undefined) => void

/** The newest copy of each workload of all kinds. */
export class WorkloadStore {
  readonly #kinds: ReadonlyMap<Kind, VersionedStore<Workload>>
  readonly #delivered: Delivered | undefined

  constructor(notify: ChangeListener, clock: Clock, kinds: readonly Kind[] = KINDS, delivered?: Delivered) {
    this.#delivered = delivered
    const merge = (before: Workload, after: Workload) => withFollowed(before, after, clock())
    const isInOtherForm = (before: Workload, after: Workload) =>
      before.configured?.apiVersion !== after.configured?.apiVersion
    const told: ChangeListener = (before, after) => {
      if (before && before.uid !== after?.uid) delivered?.forget(before.uid)
      notify(before, after)
    }
    const options = { notify: told, merge, isInOtherForm }
    this.#kinds = new Map(kinds.map((kind) => [kind, new VersionedStore<Workload>(options)]))
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#kinds.get(key.kind)?.get(key)
  }

  *list(namespace?: string, kind?: Kind): Generator<Workload> {
    for (const each of kind === undefined ? this.#kinds.keys() : [kind])
      yield* this.#kinds.get(each)?.list(namespace) ?? []
  }

  /** Takes the objects of a kind, without owned ReplicaSets: they have copies of their Deployment's annotations. */
  sink(
    kind: Kind,
    intern?: Intern,
    fields?: ConfiguredFields,
    keepsPodLabels?: boolean,
  ): Sink<WorkloadObject> {
    const store = this.of(kind)
    const sink = store.sink<WorkloadObject>((object) =>
      isOwnedReplicaSet(kind, object) ? undefined : trim(kind, object, intern, fields, keepsPodLabels),
    )
    return {
      ...sink,
      put: (object, outranks) => {
        sink.put(object, outranks)
        const { namespace = '', name, uid, resourceVersion } = object.metadata
        const copy = store.get({ namespace, name })
        // A late event of a former object would be kept for ever: nobody tells that it is gone.
        if (copy?.uid === uid && copy.resourceVersion === resourceVersion) this.#delivered?.take(copy, object)
      },
    }
  }

  applied(written: Workload): void {
    this.#kinds.get(written.kind)?.applied(written)
  }

  /** The store of one kind. @throws TypeError for a kind that is not watched */
  of(kind: Kind): VersionedStore<Workload> {
    const store = this.#kinds.get(kind)
    if (!store) throw new TypeError(`${kind} is not configured`)
    return store
  }
}

function isOwnedReplicaSet(kind: Kind, { metadata }: WorkloadObject): boolean {
  return (
    kind === 'replicasets' && metadata.ownerReferences?.some(({ controller }) => controller === true) === true
  )
}

/**
 * `after` with the instants at which its pods were first observed to follow the spec, now and before its last change.
 */
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
    // Most changes are of the status: share the unchanged parts, so that the new copy's become garbage while young.
    annotations: kept(before.annotations, after.annotations),
    labels: kept(before.labels, after.labels),
    // An answer to a write of ours has none.
    ...(before.podLabels && { podLabels: kept(before.podLabels, after.podLabels ?? before.podLabels) }),
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
