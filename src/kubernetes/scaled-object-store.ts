import { isDeepStrictEqual } from 'node:util'
import {
  NO_CONFIGURED_NAMES,
  PAUSE_ANNOTATION,
  PAUSE_ANNOTATIONS,
  targetOf,
  targetText,
  targetTextOf,
  type ConfiguredNames,
  type PauseAnnotation,
  type ScaledObject,
} from '../domain/autoscaling/scaled-object.ts'
import type { WorkloadKey } from '../domain/workload/workload.ts'
import type { ObjectMeta } from './api-object.ts'
import { VersionedStore } from './versioned-store.ts'

/** Told of one change; `before` undefined: added; `after` undefined: deleted. */
export type ScalerListener = (before: ScaledObject | undefined, after: ScaledObject | undefined) => void

const NONE: readonly ScaledObject[] = []

/** The newest copy of each ScaledObject, found by its name and by its target. */
export class ScaledObjectStore {
  readonly #copies = new VersionedStore<ScaledObject>({
    notify: (before, after) => this.#changed(before, after),
  })
  readonly sink = this.#copies.sink(trimScaledObject)
  /** By `targetText`, whatever kind that may turn out to be: almost always one. */
  readonly #byTarget = new Map<string, readonly ScaledObject[]>()
  readonly #notify: ScalerListener
  readonly #names: ConfiguredNames

  constructor(notify: ScalerListener, names: ConfiguredNames = NO_CONFIGURED_NAMES) {
    this.#notify = notify
    this.#names = names
  }

  /** `key`: `namespace/name`. */
  get(key: string): ScaledObject | undefined {
    const [namespace = '', name = ''] = key.split('/')
    return this.#copies.get({ namespace, name })
  }

  list(): Iterable<ScaledObject> {
    return this.#copies.list()
  }

  /** Those that scale this workload. */
  ofTarget(key: WorkloadKey): readonly ScaledObject[] {
    const text = targetTextOf(key, this.#names)
    return (text !== undefined && this.#byTarget.get(text)) || NONE
  }

  /** What it scales, as `targetOf` says. */
  targetOf(scaler: ScaledObject): WorkloadKey | 'unknown' | undefined {
    return targetOf(scaler, this.#names)
  }

  /** The result of a write of ours, if it is newer than our copy. */
  applied(after: ScaledObject): void {
    this.#copies.applied(after)
  }

  /** Their definition is gone, and they with it. */
  clear(): void {
    for (const scaler of this.#copies.list()) this.#copies.delete(scaler)
  }

  /** KEDA writes a status at each poll: nobody is told of that. */
  #changed(before: ScaledObject | undefined, after: ScaledObject | undefined): void {
    if (before) this.#unindex(before)
    if (after) {
      const target = targetText(after)
      this.#byTarget.set(target, [...(this.#byTarget.get(target) ?? NONE), after])
    }
    const resourceVersion = after?.resourceVersion
    if (!before || !isDeepStrictEqual({ ...before, resourceVersion }, after)) this.#notify(before, after)
  }

  #unindex(scaler: ScaledObject): void {
    const target = targetText(scaler)
    const others = (this.#byTarget.get(target) ?? NONE).filter(({ name }) => name !== scaler.name)
    if (others.length === 0) this.#byTarget.delete(target)
    else this.#byTarget.set(target, others)
  }
}

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
