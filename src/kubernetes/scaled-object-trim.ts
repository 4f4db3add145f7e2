import {
  PAUSE_ANNOTATION,
  PAUSE_ANNOTATIONS,
  type PauseAnnotation,
  type ScaledObject,
} from '../domain/autoscaling/scaled-object.ts'
import type { ObjectMeta } from './api-object.ts'

/** A ScaledObject of `keda.sh/v1alpha1`, as much as we read of it. */
export interface ScaledObjectResource {
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly scaleTargetRef?: {
      readonly apiVersion?: unknown
      readonly kind?: unknown
      readonly name?: unknown
    }
    readonly minReplicaCount?: unknown
  }
}

/** The object, trimmed; what a definition other than KEDA's may leave out or mistype reads as KEDA's default. */
export function trimScaledObject({ metadata, spec }: ScaledObjectResource): ScaledObject {
  const { apiVersion, kind, name } = spec?.scaleTargetRef ?? {}
  const min = spec?.minReplicaCount
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    deleting: metadata.deletionTimestamp != null,
    target: {
      apiVersion: textOr('apps/v1', apiVersion),
      kind: textOr('Deployment', kind),
      name: textOr('', name),
    },
    minReplicaCount: typeof min === 'number' ? min : 0,
    annotations: ownAnnotations(metadata.annotations),
    hasAnnotations: metadata.annotations != null,
  }
}

function textOr(byDefault: string, value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : byDefault
}

function ownAnnotations(annotations: ObjectMeta['annotations']): Partial<Record<PauseAnnotation, string>> {
  const kept: Partial<Record<PauseAnnotation, string>> = {}
  for (const name of PAUSE_ANNOTATIONS) {
    const value = annotations?.[PAUSE_ANNOTATION[name]]
    if (value !== undefined) kept[name] = value
  }
  return kept
}
