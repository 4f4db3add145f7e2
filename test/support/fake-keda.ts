import { SCALED_OBJECTS } from '../../src/domain/autoscaling/scaled-object.ts'
import type { Companion, CompanionRow, Served } from '../../src/domain/companions/companion.ts'
import { workloadsBeside } from '../../src/domain/companions/link.ts'
import { pausePatch, type PauseChange } from '../../src/domain/companions/pause.ts'
import type { ConfiguredKind, Kind } from '../../src/domain/kinds.ts'
import type { Workload, WorkloadKey } from '../../src/domain/workload/workload.ts'
import type { KubernetesObject } from '../../src/kubernetes/api-object.ts'
import { CompanionStore, type CompanionListener } from '../../src/kubernetes/companion-store.ts'
import type { CompanionCopies, Pauser } from '../../src/kubernetes/ports.ts'
import { OUTRANKS_NONE } from '../../src/kubernetes/reflector.ts'
import { Refusal } from '../../src/process/errors.ts'
import { applied } from './json-patch.ts'
import { KEDA } from './scaled-objects.ts'

/** ScaledObjects, or objects of another row, and the informer's copies of them, without I/O; each write is the JSON Patch that is sent. */
export class FakeKeda implements CompanionCopies, Pauser {
  /** `pause shop/web`, `unpause shop/web`, in order. */
  readonly writes: string[] = []
  /** The API server's answer to a patch instead of taking it. */
  answer: (() => Refusal | undefined) | undefined
  /** Before a patch is answered. */
  delay: () => Promise<void> = () => Promise.resolve()
  connected = true
  /** The cluster's names of the configured kinds. */
  readonly names = new Map<ConfiguredKind, string | undefined>()
  readonly #live = new Map<string, KubernetesObject>()
  readonly #listeners: CompanionListener[] = []
  readonly #connections: ((connected: boolean) => void)[] = []
  readonly #store: CompanionStore
  readonly #sink: ReturnType<CompanionStore['sink']>
  #version = 0

  constructor(row: CompanionRow = SCALED_OBJECTS, served: Served = KEDA) {
    const changed: CompanionListener = (before, after) => {
      for (const listener of this.#listeners) listener(before, after)
    }
    this.#store = new CompanionStore(row, changed, this.names)
    this.#sink = this.#store.sink(served)
  }

  get(key: string): Companion | undefined {
    const [, namespace = '', name = ''] = key.split('/')
    return this.#store.get(namespace, name)
  }

  list(): Iterable<Companion> {
    return this.#store.list()
  }

  beside(workload: WorkloadKey): readonly Companion[] {
    return this.#store.of(workload)
  }

  workloadsOf(scaler: Companion, list: (namespace: string, kind: Kind) => Iterable<Workload>) {
    return workloadsBeside(scaler, this.names, list)
  }

  isConnected(): boolean {
    return this.connected
  }

  onChange(listener: CompanionListener): void {
    this.#listeners.push(listener)
  }

  need(): void {}

  /** Its watch is never refused. */
  onFault(): void {}

  onConnection(listener: (connected: boolean) => void): void {
    this.#connections.push(listener)
  }

  /** Somebody writes it, and the watch tells. */
  put({ namespace, name, uid, object }: Companion): void {
    const { metadata, ...others } = structuredClone(object) as { metadata?: object }
    this.#see({ ...others, metadata: { ...metadata, namespace, name, uid, resourceVersion: this.#next() } })
  }

  remove(key: string): void {
    const object = this.#live.get(key)
    this.#live.delete(key)
    if (object) this.#sink.delete(object)
  }

  connect(connected: boolean): void {
    this.connected = connected
    for (const listener of this.#connections) listener(connected)
  }

  /** Its annotations as the cluster has them. */
  annotations(key = 'shop/web'): Readonly<Record<string, string>> {
    return this.#live.get(key)?.metadata.annotations ?? {}
  }

  async pause(scaler: Companion, change: PauseChange): Promise<void> {
    await this.delay()
    const refusal = this.answer?.()
    if (refusal) throw refusal
    const key = `${scaler.namespace}/${scaler.name}`
    const live = this.#live.get(key)
    if (!live) throw new Refusal('NOT_FOUND', `${key} is not there`)
    const patched = applied(live, pausePatch(scaler, change))
    if (!patched) throw new Refusal('CONFLICT', `${key} was changed`)
    this.writes.push(`${change.mark === null ? 'unpause' : 'pause'} ${key}`)
    this.#see({ ...patched, metadata: { ...patched.metadata, resourceVersion: this.#next() } })
  }

  #next(): string {
    return String(++this.#version)
  }

  #see(object: KubernetesObject): void {
    this.#live.set(`${object.metadata.namespace}/${object.metadata.name}`, object)
    this.#sink.put(object, OUTRANKS_NONE)
  }
}
