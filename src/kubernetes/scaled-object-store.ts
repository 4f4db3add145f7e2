import { isDeepStrictEqual } from 'node:util'
import {
  keyOfScaler,
  NO_CONFIGURED_NAMES,
  targetOf,
  targetText,
  targetTextOf,
  type ConfiguredNames,
  type ScaledObject,
} from '../domain/autoscaling/scaled-object.ts'
import { compareVersions, isOlder, type WorkloadKey } from '../domain/workload/workload.ts'
import type { Outranks, Sink } from './reflector.ts'
import { trimScaledObject, type ScaledObjectResource } from './scaled-object-trim.ts'

/** Told of one change; `before` undefined: added; `after` undefined: deleted. */
export type ScalerListener = (before: ScaledObject | undefined, after: ScaledObject | undefined) => void

const NONE: readonly ScaledObject[] = []

/** The newest copy of each ScaledObject, found by its name and by its target. */
export class ScaledObjectStore implements Sink<ScaledObjectResource> {
  readonly #objects = new Map<string, ScaledObject>()
  /** By `targetText`, whatever kind that may turn out to be: almost always one. */
  readonly #byTarget = new Map<string, readonly ScaledObject[]>()
  readonly #notify: ScalerListener
  readonly #names: ConfiguredNames

  constructor(notify: ScalerListener, names: ConfiguredNames = NO_CONFIGURED_NAMES) {
    this.#notify = notify
    this.#names = names
  }

  get(key: string): ScaledObject | undefined {
    return this.#objects.get(key)
  }

  list(): Iterable<ScaledObject> {
    return this.#objects.values()
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

  put(object: ScaledObjectResource, outranks: Outranks): void {
    const after = trimScaledObject(object)
    const before = this.#objects.get(keyOfScaler(after))
    // Also told late: the name was given anew since.
    if (before && isOlder(after, before) && !outranks(before.resourceVersion)) return
    if (before && before.uid !== after.uid) this.#remove(before)
    this.#set(before?.uid === after.uid ? before : undefined, after)
  }

  /** The result of a write of ours, if it is newer than our copy. */
  applied(after: ScaledObject): void {
    const before = this.#objects.get(keyOfScaler(after))
    const isNewer = before && compareVersions(after.resourceVersion, before.resourceVersion) > 0
    if (isNewer && before.uid === after.uid) this.#set(before, after)
  }

  delete({ metadata }: ScaledObjectResource): void {
    const before = this.#objects.get(`${metadata.namespace ?? ''}/${metadata.name}`)
    if (before) this.#remove(before)
  }

  retain(listed: ReadonlySet<string>, outranks: Outranks): void {
    for (const scaler of this.#objects.values())
      if (!listed.has(keyOfScaler(scaler)) && outranks(scaler.resourceVersion)) this.#remove(scaler)
  }

  /** Their definition is gone, and they with it. */
  clear(): void {
    for (const scaler of this.#objects.values()) this.#remove(scaler)
  }

  /** KEDA writes a status at each poll: nobody is told of that. */
  #set(before: ScaledObject | undefined, after: ScaledObject): void {
    if (before) this.#unindex(before)
    this.#objects.set(keyOfScaler(after), after)
    const target = targetText(after)
    this.#byTarget.set(target, [...(this.#byTarget.get(target) ?? NONE), after])
    const { resourceVersion } = after
    if (!before || !isDeepStrictEqual({ ...before, resourceVersion }, after)) this.#notify(before, after)
  }

  #remove(scaler: ScaledObject): void {
    this.#objects.delete(keyOfScaler(scaler))
    this.#unindex(scaler)
    this.#notify(scaler, undefined)
  }

  #unindex(scaler: ScaledObject): void {
    const target = targetText(scaler)
    const others = (this.#byTarget.get(target) ?? NONE).filter(({ name }) => name !== scaler.name)
    if (others.length === 0) this.#byTarget.delete(target)
    else this.#byTarget.set(target, others)
  }
}
