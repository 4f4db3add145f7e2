import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Instant } from '../../../src/service/process/clock.ts'
import type { WatchedWorkloads } from '../../../src/kubernetes/ports.ts'
import type { PatchOperation } from '../../../src/domain/workload/patch.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import type { PatchAnswer, WorkloadObject } from '../../../src/kubernetes/api-object.ts'
import { ClusterRefusal } from '../../../src/kubernetes/failures.ts'
import { WorkloadPatcher, type WorkloadCalls, type WorkloadCopy } from '../../../src/kubernetes/patcher.ts'
import { WorkloadStore, type ChangeListener } from '../../../src/kubernetes/workload-store.ts'
import { trim } from '../../../src/kubernetes/trim.ts'
import { WriteGate } from '../../../src/kubernetes/write-gate.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { FakeWatch } from '../../support/fake-watch.ts'
import { applied } from '../../support/json-patch.ts'
import { SECOND } from '../../support/rules.ts'
import { afterPatch, objectOf } from '../../support/workload-object.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { aControllerOver, type Options } from './rig.ts'

/**
 * An API server in memory, and the informer's copies of its objects. Requests and answers take time, an answer may be
 * lost, and the watch may lag. `FakeCluster` stands in for the patcher as well; this one is called by the real patcher.
 */
class LaggingCluster implements WatchedWorkloads, WorkloadCopy {
  /** The patches that were sent, in order. */
  readonly sent: (readonly PatchOperation[])[] = []
  /** Milliseconds until a request reaches the server. */
  requestDelay = 0
  /** Milliseconds until the answer to a patch is back. */
  answerDelay = 0
  /** The server carries out the next patch, and its answer is lost. */
  losesNextAnswer = false
  /** Called once: when the next patch reaches the server. */
  onArrival: (() => void) | undefined
  /** Called once: when the server has carried out the next patch, and has not answered yet. */
  onWritten: (() => void) | undefined
  /** What the patcher calls. */
  readonly calls: WorkloadCalls = {
    get: (key, signal) => this.#get(key, signal),
    patch: (key, operations) => this.#patch(key, operations),
  }
  readonly #time: FakeTime
  readonly #live = new Map<string, WorkloadObject>()
  readonly #store: WorkloadStore
  readonly #listeners: ChangeListener[] = []
  #version = 0
  readonly watch = new FakeWatch()

  constructor(time: FakeTime) {
    this.#time = time
    this.#store = new WorkloadStore((before, after) => {
      for (const listener of this.#listeners) listener(before, after)
    }, time.clock)
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#store.get(key)
  }

  list(): Iterable<Workload> {
    return this.#store.list()
  }

  applied(workload: Workload): void {
    this.#store.applied(workload)
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** What decides on them beside themselves has changed: the same copies are told again. */
  inputsChanged(keys: Iterable<WorkloadKey> = this.list()): void {
    for (const workload of [...keys].map((key) => this.get(key)))
      if (workload) for (const listener of this.#listeners) listener(workload, workload)
  }

  isConnected(): boolean {
    return true
  }

  onConnection(): void {}

  onRestored(): void {}

  suspect(): void {}

  /** As the server has it now, whatever the watch said. */
  live(key: WorkloadKey): AWorkload {
    return aDeployment().with(trim(key.kind, this.#object(key)))
  }

  /** Somebody creates or updates it. */
  put(workload: Workload): void {
    const resourceVersion = String(++this.#version)
    this.#save(workload, objectOf({ ...workload, resourceVersion }))
  }

  /** The controller manager brings the pods to what the spec asks for, and writes the status. */
  podsFollow(key: WorkloadKey): void {
    const live = this.live(key)
    const updatedAt = Math.floor(this.#time.clock() / SECOND) * SECOND
    this.put(live.with({ pods: { ...live.settled().pods, updatedAt } }))
  }

  async #get(key: WorkloadKey, signal: AbortSignal | undefined): Promise<WorkloadObject> {
    await pause(this.#time, this.requestDelay)
    signal?.throwIfAborted()
    return this.#object(key)
  }

  async #patch(key: WorkloadKey, operations: readonly PatchOperation[]): Promise<PatchAnswer> {
    const lost = this.losesNextAnswer
    this.losesNextAnswer = false
    this.sent.push(operations)
    // A test that writes without end fails by its timeout, and does not hang.
    if (this.sent.length % 50 === 0) await nextTurn()
    await pause(this.#time, this.requestDelay)
    const { onArrival } = this
    this.onArrival = undefined
    onArrival?.()
    const { metadata } = this.#write(key, operations)
    const { onWritten } = this
    this.onWritten = undefined
    onWritten?.()
    await pause(this.#time, this.answerDelay)
    if (lost) throw new ClusterRefusal('CLUSTER_UNAVAILABLE', 'cut', { status: 0, noAnswer: 'cut' })
    return { kind: 'PartialObjectMetadata', metadata }
  }

  #write(key: WorkloadKey, operations: readonly PatchOperation[]): WorkloadObject {
    const before = this.#object(key)
    const patched = applied(before, operations)
    if (!patched) {
      const message = 'the server rejected our request due to an error in our request'
      const details = { status: 422, message }
      throw new ClusterRefusal('CLUSTER_REJECTED', message, { status: 422, details })
    }
    const object = afterPatch(key.kind, before, patched, ++this.#version)
    this.#save(key, object)
    return object
  }

  #object(key: WorkloadKey): WorkloadObject {
    const object = this.#live.get(keyOf(key))
    if (!object) throw new ClusterRefusal('NOT_FOUND', `${keyOf(key)} is not there`, { status: 404 })
    return object
  }

  #save(key: WorkloadKey, object: WorkloadObject): void {
    this.#live.set(keyOf(key), object)
    this.watch.tell(() => this.#store.of(key.kind).put(trim(key.kind, object)))
  }
}

/** A controller that writes to a `LaggingCluster` through the real patcher and the real gate. */
export function aLaggingRig(now: Instant, options: Options = {}) {
  const time = new FakeTime(now)
  const cluster = new LaggingCluster(time)
  const gate = new WriteGate({ now: time.monotonic })
  const delay = (milliseconds: number) => pause(time, milliseconds)
  const writer = new WorkloadPatcher({ calls: cluster.calls, copy: cluster, gate, delay })
  const ports = { workloads: cluster, writer, pace: gate }
  return { time, cluster, ...aControllerOver(time, ports, options) }
}

function pause(time: FakeTime, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  time.later(resolve, Math.ceil(milliseconds))
  return promise
}
