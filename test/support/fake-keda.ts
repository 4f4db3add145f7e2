import type { Pauser, ScaledObjects } from '../../src/kubernetes/ports.ts'
import { pausePatch, type PauseChange } from '../../src/domain/autoscaling/pause.ts'
import {
  keyOfScaledObject,
  PAUSE_ANNOTATION,
  type PauseAnnotation,
  type ScaledObject,
} from '../../src/domain/autoscaling/scaled-object.ts'
import type { ConfiguredKind } from '../../src/domain/kinds.ts'
import type { WorkloadKey } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import {
  ScaledObjectStore,
  type ScalerListener,
  type ScaledObjectResource,
} from '../../src/kubernetes/scaled-object-store.ts'
import { OUTRANKS_NONE } from '../../src/kubernetes/reflector.ts'
import { applied } from './json-patch.ts'

/** ScaledObjects and the informer's copies of them, without I/O; each write is the JSON Patch that is sent. */
export class FakeKeda implements ScaledObjects, Pauser {
  /** `pause shop/web`, `unpause shop/web`, in order. */
  readonly writes: string[] = []
  /** The API server's answer to a patch instead of taking it. */
  answer: (() => Refusal | undefined) | undefined
  /** Before a patch is answered. */
  delay: () => Promise<void> = () => Promise.resolve()
  isConnected = true
  /** The cluster's names of the configured kinds. */
  readonly names = new Map<ConfiguredKind, string | undefined>()
  readonly #live = new Map<string, ScaledObjectResource>()
  readonly #listeners: ScalerListener[] = []
  readonly #connections: ((connected: boolean) => void)[] = []
  readonly #store = new ScaledObjectStore((before, after) => {
    for (const listener of this.#listeners) listener(before, after)
  }, this.names)
  #version = 0

  get(key: string): ScaledObject | undefined {
    return this.#store.get(key)
  }

  list(): Iterable<ScaledObject> {
    return this.#store.list()
  }

  ofTarget(key: WorkloadKey): readonly ScaledObject[] {
    return this.#store.ofTarget(key)
  }

  targetOf(scaler: ScaledObject): WorkloadKey | 'unknown' | undefined {
    return this.#store.targetOf(scaler)
  }

  onChange(listener: ScalerListener): void {
    this.#listeners.push(listener)
  }

  onConnection(listener: (connected: boolean) => void): void {
    this.#connections.push(listener)
  }

  /** Somebody writes it, and the watch tells. */
  put(scaler: ScaledObject): void {
    const { namespace, name, uid, target, minReplicaCount, annotations } = scaler
    const named = Object.entries(annotations).map(([each, value]) => [
      PAUSE_ANNOTATION[each as PauseAnnotation],
      value,
    ])
    const resourceVersion = String(++this.#version)
    this.#see({
      metadata: { namespace, name, uid, resourceVersion, annotations: Object.fromEntries(named) },
      spec: { scaleTargetRef: target, minReplicaCount },
    })
  }

  remove(key: string): void {
    const object = this.#live.get(key)
    this.#live.delete(key)
    if (object) this.#store.sink.delete(object)
  }

  connect(connected: boolean): void {
    this.isConnected = connected
    for (const listener of this.#connections) listener(connected)
  }

  /** Its annotations as the cluster has them. */
  annotations(key = 'shop/web'): Readonly<Record<string, string>> {
    return this.#live.get(key)?.metadata.annotations ?? {}
  }

  async pause(scaler: ScaledObject, change: PauseChange): Promise<void> {
    await this.delay()
    const refusal = this.answer?.()
    if (refusal) throw refusal
    const key = keyOfScaledObject(scaler)
    const live = this.#live.get(key)
    if (!live) throw new Refusal('NOT_FOUND', `${key} is not there`)
    const patched = applied(live, pausePatch(scaler, change))
    if (!patched) throw new Refusal('CONFLICT', `${key} was changed`)
    this.writes.push(`${change.mark === null ? 'unpause' : 'pause'} ${key}`)
    this.#see({ ...patched, metadata: { ...patched.metadata, resourceVersion: String(++this.#version) } })
  }

  #see(object: ScaledObjectResource): void {
    this.#live.set(`${object.metadata.namespace}/${object.metadata.name}`, object)
    this.#store.sink.put(object, OUTRANKS_NONE)
  }
}
