import { setImmediate as nextTurn } from 'node:timers/promises'
import { Controller } from '../../src/controller/controller.ts'
import type { Instant } from '../../src/clock.ts'
import {
  ANNOTATION,
  FIELD_MANAGER,
  keyOf,
  type Kind,
  type Workload,
  type WorkloadKey,
} from '../../src/domain/workload.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { WorkloadPatcher, type WorkloadCalls, type WorkloadCopy } from '../../src/kubernetes/patcher.ts'
import { WorkloadStore } from '../../src/kubernetes/store.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { WriteGate } from '../../src/kubernetes/write-gate.ts'
import { createLogger } from '../../src/logger.ts'
import { rulesWith } from '../support/rules.ts'
import { applied } from '../support/json-patch.ts'
import { FakeTime, settled } from '../support/fake-time.ts'
import { Told } from './told.ts'

/* eslint-disable */
type Obj = any
export type Fate = 'ok' | 'refused' | 'lost' | 'lost-unsent' | 'unavailable' | 'overtaken'

/** An API server whose objects are changed by JSON Patch alone, with a watch whose events may lag, and the real adapter on top. */
export class TrueCluster {
  readonly time: FakeTime
  readonly objects = new Map<string, Obj>()
  readonly store: WorkloadStore
  readonly listeners: ((b: Workload | undefined, a: Workload | undefined) => void)[] = []
  readonly connections: ((kind: Kind, connected: boolean) => void)[] = []
  readonly log: { key: string; at: Instant; ops: readonly Obj[]; fate: Fate }[] = []
  disconnected = new Set<Kind>()
  events: (() => void)[] = []
  watchHeld = false
  version = 1000
  uid = 0
  /** Milliseconds until a patch reaches the server, and until its answer is back. */
  reach = 0
  answer = 0
  fate: (key: string) => Fate = () => 'ok'
  /** Called once the server has carried a patch out, before its answer. */
  onWritten: (key: string) => void = () => {}
  onArrived: (key: string) => void = () => {}
  gets = 0
  full = false

  constructor(time: FakeTime) {
    this.time = time
    this.store = new WorkloadStore((b, a) => {
      for (const l of this.listeners) l(b, a)
    }, time.clock)
  }

  pause(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.time.later(resolve, ms)
    return promise
  }

  create(kind: Kind, name: string, annotations: Record<string, string>, replicas = 3): WorkloadKey {
    const key = { kind, namespace: 'shop', name }
    const object: Obj = {
      metadata: {
        name,
        namespace: 'shop',
        uid: `uid-${++this.uid}`,
        resourceVersion: String(++this.version),
        generation: 1,
        creationTimestamp: new Date(this.time.clock() - 3_600_000).toISOString(),
        annotations,
        managedFields: [],
      },
      spec: { replicas, template: { spec: {} } },
      status: {},
    }
    this.objects.set(keyOf(key), object)
    this.#follow(kind, object)
    this.#event('put', key, object)
    return key
  }

  remove(key: WorkloadKey): void {
    const object = this.objects.get(keyOf(key))
    if (!object) return
    this.objects.delete(keyOf(key))
    this.version++
    this.#event('delete', key, object)
  }

  edit(key: WorkloadKey, change: (object: Obj) => void): void {
    const object = this.objects.get(keyOf(key))
    if (!object) return
    const edited = structuredClone(object)
    change(edited)
    this.#save(key, object, edited)
  }

  scale(
    key: WorkloadKey,
    replicas: number,
    manager = 'kubectl',
    subresource: string | undefined = 'scale',
  ): void {
    this.edit(key, (object) => {
      if (object.spec.replicas === replicas) return
      object.spec.replicas = replicas
      this.#own(object, manager, subresource)
    })
  }

  follow(key: WorkloadKey): void {
    this.edit(key, (object) => this.#follow(key.kind, object))
  }

  mendWatch(): void {
    this.watchHeld = false
    const events = this.events
    this.events = []
    for (const each of events) each()
  }

  /** One event that is held back. */
  step(): void {
    this.events.shift()?.()
  }

  connect(kind: Kind, connected: boolean): void {
    if (connected === !this.disconnected.has(kind)) return
    if (connected) this.disconnected.delete(kind)
    else this.disconnected.add(kind)
    for (const l of this.connections) l(kind, connected)
  }

  /** The informer's port. */
  get workloads() {
    const self = this
    return {
      get: (key: WorkloadKey) => self.store.get(key),
      list: () => self.store.list(),
      onChange: (l: any) => void self.listeners.push(l),
      onConnection: (l: any) => void self.connections.push(l),
      isConnected: (kind: Kind) => !self.disconnected.has(kind),
    }
  }

  get copy(): WorkloadCopy {
    const self = this
    return {
      isConnected: (kind) => !self.disconnected.has(kind),
      suspect: () => {},
      get: (key) => self.store.get(key),
      applied: (workload) => self.store.applied(workload),
    }
  }

  get calls(): WorkloadCalls {
    return {
      get: async (key, signal) => {
        this.gets++
        await this.pause(this.reach)
        signal?.throwIfAborted()
        const object = this.objects.get(keyOf(key))
        if (!object) throw new ClusterRefusal('NOT_FOUND', 'gone', { status: 404 })
        return structuredClone(object)
      },
      patch: async (key, ops) => {
        const fate = this.fate(keyOf(key))
        this.log.push({ key: keyOf(key), at: this.time.clock(), ops, fate })
        if (this.log.length % 50 === 0) await nextTurn()
        await this.pause(this.reach)
        this.onArrived(keyOf(key))
        const cut = () => new ClusterRefusal('CLUSTER_UNAVAILABLE', 'cut', { status: 0, noAnswer: 'cut' })
        if (fate === 'unavailable') throw new ClusterRefusal('CLUSTER_UNAVAILABLE', 'busy', { status: 503 })
        if (fate === 'refused')
          throw new ClusterRefusal('CLUSTER_REJECTED', 'no', {
            status: 403,
            details: { status: 403, message: 'no' },
          })
        if (fate === 'overtaken') throw new ClusterRefusal('CLUSTER_REJECTED', 'conflict', { status: 409 })
        if (fate === 'lost-unsent') {
          await this.pause(this.answer)
          throw cut()
        }
        const object = this.objects.get(keyOf(key))
        if (!object) throw new ClusterRefusal('NOT_FOUND', 'gone', { status: 404 })
        const patched: Obj = applied(object, ops)
        if (!patched) {
          const message = 'the server rejected our request due to an error in our request'
          throw new ClusterRefusal('CLUSTER_REJECTED', message, {
            status: 422,
            details: { status: 422, message },
          })
        }
        if (patched.spec.replicas !== object.spec.replicas) this.#own(patched, FIELD_MANAGER)
        const saved = this.#save(key, object, structuredClone(patched))
        this.onWritten(keyOf(key))
        await this.pause(this.answer)
        if (fate === 'lost') throw cut()
        const { metadata, spec, status } = structuredClone(saved)
        return this.full ? { metadata, spec, status } : ({ kind: 'PartialObjectMetadata', metadata } as any)
      },
    }
  }

  #save(key: WorkloadKey, before: Obj, edited: Obj): Obj {
    for (const name of ['annotations', 'labels'])
      if (Object.keys(edited.metadata[name] ?? {}).length === 0) delete edited.metadata[name]
    const moved = JSON.stringify(edited.spec) !== JSON.stringify(before.spec)
    edited.metadata.generation = before.metadata.generation + (moved ? 1 : 0)
    edited.metadata.resourceVersion = String(++this.version)
    this.objects.set(keyOf(key), edited)
    this.#event('put', key, edited)
    return edited
  }

  #event(type: 'put' | 'delete', key: WorkloadKey, object: Obj): void {
    const copy = structuredClone(object)
    const tell = () => (type === 'put' ? this.store.put(trim(key.kind, copy)) : this.store.delete(key))
    if (this.watchHeld) this.events.push(tell)
    else tell()
  }

  #follow(kind: Kind, object: Obj): void {
    const asleep =
      kind === 'daemonsets'
        ? 'dormouse.dev/snoozed' in (object.spec.template.spec.nodeSelector ?? {})
        : object.spec.replicas === 0
    const count = kind === 'daemonsets' ? (asleep ? 0 : 3) : object.spec.replicas
    object.status =
      kind === 'daemonsets'
        ? {
            observedGeneration: object.metadata.generation,
            desiredNumberScheduled: count,
            currentNumberScheduled: count,
            numberMisscheduled: 0,
            numberReady: count,
          }
        : { observedGeneration: object.metadata.generation, replicas: count, readyReplicas: count }
    const others = object.metadata.managedFields.filter((e: Obj) => e.subresource !== 'status')
    const time = `${new Date(this.time.clock()).toISOString().slice(0, 19)}Z`
    object.metadata.managedFields = [
      ...others,
      { manager: 'kube-controller-manager', subresource: 'status', time, fieldsV1: {} },
    ]
  }

  #own(object: Obj, manager: string, subresource?: string): void {
    const time = `${new Date(this.time.clock()).toISOString().slice(0, 19)}Z`
    const others = object.metadata.managedFields.filter(
      (e: Obj) => e.manager !== manager || e.subresource !== subresource,
    )
    for (const e of others) delete e.fieldsV1['f:spec']?.['f:replicas']
    object.metadata.managedFields = [
      ...others,
      {
        manager,
        ...(subresource === undefined ? {} : { subresource }),
        time,
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ]
  }
}

export function aTrueRig(now: Instant, { concurrency = 4, writesPerWorkload = 20, gate = {} as any } = {}) {
  const time = new FakeTime(now)
  const cluster = new TrueCluster(time)
  const rules = rulesWith()
  const told = new Told()
  const logged: any[] = []
  const logger = createLogger('info', { write: (line) => void logged.push(JSON.parse(line)) })
  const writeGate = new WriteGate({ now: time.monotonic, ...gate })
  const delay = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const disarm = time.later(resolve, Math.max(1, Math.round(ms)))
      signal?.addEventListener(
        'abort',
        () => {
          disarm()
          reject(signal.reason)
        },
        { once: true },
      )
    })
  const patcher = new WorkloadPatcher({ calls: cluster.calls, copy: cluster.copy, gate: writeGate, delay })
  const { clock, monotonic, later } = time
  let plans = 0
  let throws: unknown
  const scalings = {
    scaledBy: () => {
      plans++
      if (throws) throw throws
      return undefined
    },
  }
  const ports: any = {
    workloads: cluster.workloads,
    writer: patcher,
    pace: writeGate,
    scalings,
    recorder: told,
    observer: told,
    clock,
    monotonic,
    logger,
    later,
  }
  const controller = new Controller(ports, rules, {
    concurrency,
    writesPerWorkload,
    excludeNamespaces: new Set(['kube-system']),
  })
  const planThrows = (error: unknown) => void (throws = error)
  return {
    time,
    cluster,
    rules,
    told,
    logged,
    writeGate,
    patcher,
    controller,
    planThrows,
    plans: () => plans,
    settled,
  }
}

export const SCHEDULED = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: '8:00-18:00,Mon-Fri' }
