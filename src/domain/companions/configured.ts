import { annotationAt } from '../annotations.ts'
import { fieldAt, pointerTo } from '../json-pointer.ts'
import type { ConfiguredKind } from '../kinds.ts'
import type { Scalar } from '../sleeping/condition.ts'
import { pausedAt, type CompanionRow, type Link } from './companion.ts'

/** An entry of `owners`: a resource that is paused while a workload sleeps that it owns. One place is given. */
export interface OwnerSettings {
  /** `elasticsearches.elasticsearch.k8s.elastic.co` */
  readonly resource: string
  readonly pause: {
    readonly annotation?: string | null
    readonly label?: string | null
    /** `.spec.paused` */
    readonly path?: string | null
    readonly asleep: Scalar
  }
}

/** An entry of a kind's `along`: a resource that is paused while the workload sleeps which a field of it names. */
export interface AlongSettings {
  readonly resource: string
  /** `.spec.cluster.name` */
  readonly selectedBy: string
  /** `.spec.suspend` */
  readonly path: string
  readonly asleep: Scalar
}

/** An entry of a kind's `notWhile`: while a field of one that names the workload has one of these values, it does not sleep. */
export interface NotWhileSettings {
  readonly resource: string
  readonly selectedBy: string
  /** `.status.phase` */
  readonly path: string
  readonly in: readonly Scalar[]
}

interface BesideKind {
  readonly resource: string
  readonly along?: readonly AlongSettings[]
  readonly notWhile?: readonly NotWhileSettings[]
}

/** The rows of the configured resources. */
export function configuredRows({
  owners = [],
  kinds = [],
}: {
  readonly owners?: readonly OwnerSettings[]
  readonly kinds?: readonly BesideKind[]
}): CompanionRow[] {
  return [
    ...owners.map(({ resource, pause }): CompanionRow => {
      return rowOf({ resource, link: { by: 'owner' }, place: placeOf(pause), asleep: pause.asleep })
    }),
    ...kinds.flatMap(({ resource: kind, notWhile = [] }) =>
      notWhile.map(({ resource, selectedBy, path, in: busy }): CompanionRow => {
        const link = { by: 'field', field: fieldAt(selectedBy), kind: kind as ConfiguredKind } as const
        return { resource: resource as ConfiguredKind, link, place: fieldAt(path), busy, isConfigured: true }
      }),
    ),
    ...kinds.flatMap(({ resource: kind, along = [] }) =>
      along.map(({ resource, selectedBy, path, asleep }): CompanionRow => {
        const link = { by: 'field', field: fieldAt(selectedBy), kind: kind as ConfiguredKind } as const
        return rowOf({ resource, link, place: fieldAt(path), asleep })
      }),
    ),
  ]
}

function rowOf(settings: { resource: string; link: Link; place: string; asleep: Scalar }): CompanionRow {
  const { resource, link, place, asleep } = settings
  return { resource: resource as ConfiguredKind, link, place, pause: pausedAt(asleep), isConfigured: true }
}

function placeOf({ annotation, label, path }: OwnerSettings['pause']): string {
  if (annotation != null) return annotationAt(annotation)
  return label == null ? fieldAt(path ?? '') : pointerTo(['metadata', 'labels', label])
}
