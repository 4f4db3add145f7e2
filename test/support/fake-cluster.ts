import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Namespaces, WatchedWorkloads, Priority } from '../../src/kubernetes/ports.ts'
import type { Namespace } from '../../src/domain/policy/inheritance.ts'
import { isEmpty, jsonPatch, type Change } from '../../src/domain/workload/patch.ts'
import {
  keyOf,
  KINDS,
  type Kind,
  type Workload,
  type WorkloadKey,
} from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/service/process/errors.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { FakeWatch } from './fake-watch.ts'
import { applied } from './json-patch.ts'
import { afterPatch, objectOf } from './workload-object.ts'
import { aDeployment, type AWorkload } from './workloads.ts'

type Listener = Parameters<WatchedWorkloads['onChange']>[0]
type NamespaceListener = Parameters<Namespaces['onChange']>[0]
type ConnectionListener = Parameters<WatchedWorkloads['onConnection']>[0]
type RestoreListener = Parameters<WatchedWorkloads['onRestored']>[0]

export type Writing<P> = [
  key: WorkloadKey,
  plan: (workload: Workload) => P,
  options: { readonly priority: Priority | 'request' },
]

interface Patch {
  readonly key: string
  readonly change: Change
  readonly priority: Priority | 'request'
}

/**
 * A cluster and the informer's copies of it, without I/O. It stores objects as the API server does, and changes them by
 * the JSON Patch that is sent alone, so that a wrong patch fails a test.
 */
export class FakeCluster implements WatchedWorkloads {
  /** Those that were applied, in order. */
  readonly patches: Patch[] = []
  /** How many were sent, be they applied or not. */
  sent = 0
  readonly #live = new Map<string, WorkloadObject>()
  readonly #copies = new Map<string, Workload>()
  readonly #listeners: Listener[] = []
  readonly #connectionListeners: ConnectionListener[] = []
  readonly #restoreListeners: RestoreListener[] = []
  readonly #disconnected = new Set<Kind>()
  #version = 0
  readonly watch = new FakeWatch()
  namespaces: readonly Namespace[] = []
  readonly #namespaceListeners: NamespaceListener[] = []
  /** What the API server says to a patch instead of taking it. */
  answer: ((key: string, change: Change) => Refusal | undefined) | undefined
  /** Before a patch is answered. */
  delay: () => Promise<void> = () => Promise.resolve()

  get(key: WorkloadKey): Workload | undefined {
    return this.#copies.get(keyOf(key))
  }

  *list(namespace?: string, kind?: Kind): Iterable<Workload> {
    for (const workload of this.#copies.values()) {
      if (namespace !== undefined && workload.namespace !== namespace) continue
      if (kind === undefined || workload.kind === kind) yield workload
    }
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener)
  }

  isConnected(kind: Kind): boolean {
    return !this.#disconnected.has(kind)
  }

  onConnection(listener: ConnectionListener): void {
    this.#connectionListeners.push(listener)
  }

  onRestored(listener: RestoreListener): void {
    this.#restoreListeners.push(listener)
  }

  /** What decides on these beside themselves has changed: their copies are told again. */
  inputsChanged(keys: Iterable<WorkloadKey>, concerns: (workload: Workload) => boolean = () => true): void {
    for (const workload of [...keys].map((key) => this.get(key)))
      if (workload && concerns(workload)) this.#notify(workload, workload)
  }

  onNamespaceChange(listener: NamespaceListener): void {
    this.#namespaceListeners.push(listener)
  }

  namespaceChanged(before: Namespace | undefined, after: Namespace | undefined): void {
    for (const listener of this.#namespaceListeners) listener(before, after)
  }

  /** The API server is gone: writes find nobody, and the watches of these kinds break. */
  goes(kinds: readonly Kind[] = KINDS): void {
    this.down()
    for (const kind of kinds) this.#disconnected.add(kind)
    for (const kind of kinds) for (const listener of this.#connectionListeners) listener(kind, false)
  }

  /** It is there again, and so are the watches of these kinds. */
  returns(kinds: readonly Kind[] = KINDS): void {
    this.up()
    for (const kind of kinds) this.#disconnected.delete(kind)
    for (const kind of kinds) for (const listener of this.#connectionListeners) listener(kind, true)
  }

  /** Its list shows that the cluster was restored from a backup: `workload` is as it is there, and nobody was told. */
  restoredTo(workload: Workload): void {
    this.put(workload)
    for (const listener of this.#restoreListeners) listener(workload.kind)
  }

  /** As the cluster has it now, whatever the watch said. */
  live(key: WorkloadKey): AWorkload {
    return aDeployment().with(this.#read(key))
  }

  /** As `live`; undefined: it is not there. */
  find(key: WorkloadKey): Workload | undefined {
    const live = this.#live.get(keyOf(key))
    return live && trim(key.kind, live)
  }

  /** Its pods are as its spec asks, and its status says so. */
  podsFollow(key: WorkloadKey): void {
    this.put(this.live(key).settled())
  }

  /** Somebody writes it: the watch tells at once, unless it is cut. */
  put(workload: Workload): void {
    // A newer version that the test gives is kept.
    this.#version = Math.max(this.#version + 1, Number(workload.resourceVersion))
    const object = objectOf({ ...workload, resourceVersion: String(this.#version) })
    this.#live.set(keyOf(workload), object)
    this.watch.tell(() => this.#see(trim(workload.kind, object)))
  }

  /** It is there, and the informer leaves it out. */
  putUnlisted(workload: Workload): void {
    this.#live.set(keyOf(workload), objectOf(workload))
  }

  remove(key: WorkloadKey): void {
    this.#live.delete(keyOf(key))
    this.watch.tell(() => {
      const before = this.get(key)
      this.#copies.delete(keyOf(key))
      if (before) this.#notify(before, undefined)
    })
  }

  down(): void {
    this.answer = () => new Refusal('CLUSTER_UNAVAILABLE', 'the cluster does not answer')
  }

  up(): void {
    this.answer = undefined
  }

  /** Patches are answered when what this returns is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.delay = () => promise
    return resolve
  }

  async write<P extends { readonly change: Change | undefined }>(
    ...[key, plan, { priority }]: Writing<P>
  ): Promise<{ plan: P; workload: Workload; wrote: boolean }> {
    let workload = this.get(key) ?? this.#read(key)
    for (let attempt = 1; attempt <= 5; attempt++) {
      const planned = plan(workload)
      const { change } = planned
      if (change === undefined || isEmpty(change)) return { plan: planned, workload, wrote: false }
      const written = await this.#patch(workload, change, priority)
      if (written) {
        if (this.get(key)) this.#see(written)
        return { plan: planned, workload: written, wrote: true }
      }
      workload = this.#read(key)
    }
    throw new Refusal('CONFLICT', `${keyOf(key)} was changed by others each time`)
  }

  #read(key: WorkloadKey): Workload {
    return trim(key.kind, this.#object(key))
  }

  #object(key: WorkloadKey): WorkloadObject {
    const live = this.#live.get(keyOf(key))
    if (!live) throw new Refusal('NOT_FOUND', `${keyOf(key)} is not there`)
    return live
  }

  /** undefined: its precondition failed. */
  async #patch(
    workload: Workload,
    change: Change,
    priority: Patch['priority'],
  ): Promise<Workload | undefined> {
    const key = keyOf(workload)
    // A test that writes without end fails by its timeout, and does not hang.
    if (++this.sent % 50 === 0) await nextTurn()
    await this.delay()
    const refusal = this.answer?.(key, change)
    if (refusal) throw refusal
    const before = this.#object(workload)
    const patched = applied(before, jsonPatch(workload, change))
    if (!patched) return undefined
    const object = afterPatch(workload.kind, before, patched, ++this.#version)
    this.#live.set(key, object)
    this.patches.push({ key, change, priority })
    return trim(workload.kind, object)
  }

  #see(workload: Workload): void {
    const before = this.get(workload)
    if (before && Number(before.resourceVersion) >= Number(workload.resourceVersion)) return
    this.#copies.set(keyOf(workload), workload)
    this.#notify(before, workload)
  }

  #notify(before: Workload | undefined, after: Workload | undefined): void {
    for (const listener of this.#listeners) listener(before, after)
  }
}
