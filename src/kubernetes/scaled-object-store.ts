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

/** Called for one change; `before` undefined: added; `after` undefined: deleted. */
export type ScalerListener = (before: ScaledObject | undefined, after: ScaledObject | undefined) => void

const NONE: readonly ScaledObject[] = []

/** The newest copy of each ScaledObject, by its name and by its target. */
export class ScaledObjectStore {
  readonly #copies = new VersionedStore<ScaledObject>({
    notify: (before, after) => this.#changed(before, after),
  })
  readonly sink = this.#copies.sink(trimScaledObject)
  /** By `targetText`, before the target's kind is resolved: almost always one. */
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

  /** The ScaledObjects that target this workload. */
  ofTarget(key: WorkloadKey): readonly ScaledObject[] {
    const text = targetTextOf(key, this.#names)
    return (text !== undefined && this.#byTarget.get(text)) || NONE
  }

  /** The target, as `ScaledObjects.targetOf`. */
  targetOf(scaledObject: ScaledObject): WorkloadKey | 'unknown' | undefined {
    return targetOf(scaledObject, this.#names)
  }

  /** Stores the result of our own write if it is newer than our copy. */
  applied(after: ScaledObject): void {
    this.#copies.applied(after)
  }

  /** Their definition was deleted, and they with it. */
  clear(): void {
    for (const scaledObject of this.#copies.list()) this.#copies.delete(scaledObject)
  }

  /** KEDA writes a status at each poll: that notifies nobody. */
  #changed(before: ScaledObject | undefined, after: ScaledObject | undefined): void {
    if (before) this.#unindex(before)
    if (after) {
      const target = targetText(after)
      this.#byTarget.set(target, [...(this.#byTarget.get(target) ?? NONE), after])
    }
    const resourceVersion = after?.resourceVersion
    if (!before || !isDeepStrictEqual({ ...before, resourceVersion }, after)) this.#notify(before, after)
  }

  #unindex(scaledObject: ScaledObject): void {
    const target = targetText(scaledObject)
    const others = (this.#byTarget.get(target) ?? NONE).filter(({ name }) => name !== scaledObject.name)
    if (others.length === 0) this.#byTarget.delete(target)
    else this.#byTarget.set(target, others)
  }
}

/** A ScaledObject of `keda.sh/v1alpha1`: the fields that we read. */
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

/** The object, trimmed. A field that a definition other than KEDA's leaves out or mistypes reads as KEDA's default. */
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
