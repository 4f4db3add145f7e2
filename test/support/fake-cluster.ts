import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Namespace } from '../../src/domain/policy/inheritance.ts'
import type { PatchOperation } from '../../src/domain/json-patch.ts'
import type { Change } from '../../src/domain/workload/change.ts'
import {
  keyOf,
  KINDS,
  type Kind,
  type Workload,
  type WorkloadKey,
} from '../../src/domain/workload/workload.ts'
import type { PatchAnswer, WorkloadObject } from '../../src/kubernetes/api-object.ts'
import type { PatchOptions } from '../../src/kubernetes/client.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { WorkloadPatcher, type Gate, type WorkloadCopy } from '../../src/kubernetes/patcher.ts'
import type {
  ClusterUser,
  LiveReader,
  Namespaces,
  ResourceAccess,
  Reviews,
  WatchedWorkloads,
  WriteOptions,
  WritePriority,
  Writer,
  Written,
} from '../../src/kubernetes/ports.ts'
import { OUTRANKS_NONE } from '../../src/kubernetes/reflector.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { WorkloadStore, type ChangeListener } from '../../src/kubernetes/workload-store.ts'
import type { Clock, Later } from '../../src/process/clock.ts'
import { Refusal } from '../../src/process/errors.ts'
import { applied } from './json-patch.ts'
import { SECOND } from './rules.ts'
import { afterPatch, objectOf } from './workload-object.ts'
import { aDeployment, type AWorkload } from './workloads.ts'

type NamespaceListener = Parameters<Namespaces['onChange']>[0]
type ConnectionListener = Parameters<WatchedWorkloads['onConnection']>[0]
type RestoreListener = Parameters<WatchedWorkloads['onRestored']>[0]

interface Options {
  readonly clock?: Clock
  /** The clock by which `requestDelay` and `answerDelay` pass. */
  readonly later?: Later
  /** Writes are sent at once without it. */
  readonly gate?: Gate
}

/** A write that was planned last: the patch that follows is its. */
interface Planned {
  readonly change: Change
  readonly priority: WritePriority
}

/** The built-in ones, and one that is configured. */
const KINDS_HERE: readonly Kind[] = [...KINDS, 'rollouts.argoproj.io']
const UNGATED: Gate = { run: (_priority, task) => task(undefined) }

/**
 * A cluster in memory: the API server's objects, the informer's copies of them, and our patcher between the two. Objects
 * change as the API server changes them, by the JSON Patch that is sent alone, so that a wrong patch fails a test.
 * Nothing is late, lost or refused but what a test says.
 */
export class FakeCluster implements WatchedWorkloads, WorkloadCopy, Writer, LiveReader, Reviews {
  /** Those that were applied, in order. */
  readonly patches: (Planned & { readonly key: string })[] = []
  /** How many were sent, be they applied or not. */
  sent = 0
  /** The API server's answer to a patch instead of taking it. */
  answer: ((key: string, change: Change) => Refusal | undefined) | undefined
  /** Thrown by whatever asks the cluster itself. */
  failure: Error | undefined
  /** Before a patch is answered. */
  delay: () => Promise<void> = () => Promise.resolve()
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
  /** Kinds whose watch is not connected. */
  readonly away = new Set<Kind>()
  namespaces: readonly Namespace[] = []
  /** By their tokens. */
  readonly users = new Map<string, ClusterUser>()
  allows: (user: ClusterUser, access: ResourceAccess) => boolean = () => true
  readonly asked: ResourceAccess[] = []
  /** Awaited before an access review is answered. */
  answering: (access: ResourceAccess) => Promise<void> = async () => undefined
  /** How many tokens were reviewed. */
  reviews = 0
  readonly #live = new Map<string, WorkloadObject>()
  readonly #store: WorkloadStore
  readonly #patcher: WorkloadPatcher
  readonly #planned = new Map<string, Planned>()
  readonly #listeners: ChangeListener[] = []
  readonly #connectionListeners: ConnectionListener[] = []
  readonly #restoreListeners: RestoreListener[] = []
  readonly #namespaceListeners: NamespaceListener[] = []
  readonly #clock: Clock
  readonly #later: Later | undefined
  /** Events that a watch that is cut has not told yet. */
  #untold: (() => void)[] | undefined
  #version = 0

  constructor({ clock = () => 0, later, gate = UNGATED }: Options = {}) {
    this.#clock = clock
    this.#later = later
    this.#store = new WorkloadStore((before, after) => this.#notify(before, after), clock, KINDS_HERE)
    const calls = {
      get: (key: WorkloadKey, signal?: AbortSignal) => this.#get(key, signal),
      patch: (key: WorkloadKey, operations: readonly PatchOperation[], options?: PatchOptions) =>
        this.#patch(key, operations, options),
      // No whole objects are kept here: the real control plane alone judges a PUT.
      replace: () => Promise.reject(new TypeError('nothing is replaced here')),
    }
    this.#patcher = new WorkloadPatcher({ calls, copy: this, gate, delay: async () => {} })
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#store.get(key)
  }

  mustGet(key: WorkloadKey): Workload {
    const workload = this.get(key)
    if (!workload) throw new TypeError(`no ${keyOf(key)}`)
    return workload
  }

  list(namespace?: string, kind?: Kind): Iterable<Workload> {
    return this.#store.list(namespace, kind)
  }

  snapshot(): string {
    return JSON.stringify([...this.list()])
  }

  applied(workload: Workload): void {
    this.#store.applied(workload)
  }

  suspect(): void {}

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  isConnected(kind: Kind): boolean {
    return !this.away.has(kind)
  }

  onConnection(listener: ConnectionListener): void {
    this.#connectionListeners.push(listener)
  }

  onRestored(listener: RestoreListener): void {
    this.#restoreListeners.push(listener)
  }

  /** Something beside these that decides on them has changed: their copies are told again. */
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
    for (const kind of kinds) this.away.add(kind)
    for (const kind of kinds) for (const listener of this.#connectionListeners) listener(false, kind)
  }

  /** It is there again, and so are the watches of these kinds. */
  returns(kinds: readonly Kind[] = KINDS): void {
    this.up()
    for (const kind of kinds) this.away.delete(kind)
    for (const kind of kinds) for (const listener of this.#connectionListeners) listener(true, kind)
  }

  /** Its list shows that the cluster was restored from a backup: `workload` is as it is there, and nobody was told. */
  restoredTo(workload: Workload): void {
    this.put(workload)
    for (const listener of this.#restoreListeners) listener(workload.kind)
  }

  /** As the cluster has it now, whatever the watch said. */
  live(key: WorkloadKey): AWorkload {
    return aDeployment().with(trim(key.kind, this.#object(key)))
  }

  /** The controller manager brings the pods to what the spec asks for, and writes the status. */
  podsFollow(key: WorkloadKey): void {
    const live = this.live(key)
    const updatedAt = Math.floor(this.#clock() / SECOND) * SECOND
    this.put(live.with({ pods: { ...live.settled().pods, updatedAt } }))
  }

  /** Somebody writes it. */
  put(workload: Workload): void {
    // A newer version that the test gives is kept.
    this.#version = Math.max(this.#version + 1, Number(workload.resourceVersion))
    this.#save(workload, objectOf({ ...workload, resourceVersion: String(this.#version) }))
  }

  /** It is there, and the informer leaves it out. */
  putUnlisted(workload: Workload): void {
    this.#live.set(keyOf(workload), objectOf(workload))
  }

  remove(key: WorkloadKey): void {
    this.#live.delete(keyOf(key))
    this.#tell(() => this.#store.of(key.kind).delete({ namespace: key.namespace, name: key.name }))
  }

  /** The watch tells nothing until it is mended, and then all that came meanwhile, in order. */
  readonly watch = {
    cut: (): void => {
      this.#untold = []
    },
    mend: (): void => {
      const untold = this.#untold ?? []
      this.#untold = undefined
      for (const tell of untold) tell()
    },
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

  async read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined> {
    return this.#patcher.read(key, signal)
  }

  async write<P extends { readonly change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: WriteOptions,
  ): Promise<Written<P>> {
    const noted = (workload: Workload) => {
      const planned = plan(workload)
      const { change } = planned
      if (change) this.#planned.set(keyOf(key), { change, priority: options.priority })
      return planned
    }
    return this.#patcher.write(key, noted, options)
  }

  async authenticate(token: string): Promise<ClusterUser | undefined> {
    this.reviews += 1
    if (this.failure) throw this.failure
    return this.users.get(token)
  }

  async authorize(user: ClusterUser, access: ResourceAccess): Promise<boolean> {
    this.asked.push(access)
    if (this.failure) throw this.failure
    await this.answering(access)
    return this.allows(user, access)
  }

  async #get(key: WorkloadKey, signal: AbortSignal | undefined): Promise<WorkloadObject> {
    if (this.failure) throw this.failure
    await this.#pause(this.requestDelay)
    signal?.throwIfAborted()
    return this.#object(key)
  }

  async #patch(
    key: WorkloadKey,
    operations: readonly PatchOperation[],
    { subresource }: PatchOptions = {},
  ): Promise<PatchAnswer> {
    if (this.failure) throw this.failure
    if (subresource) return this.#save(key, this.#patched(key, operations))
    const planned = this.#planned.get(keyOf(key))!
    const lost = this.losesNextAnswer
    this.losesNextAnswer = false
    // A test that writes without end fails by its timeout, and does not hang.
    if (++this.sent % 50 === 0) await nextTurn()
    await this.delay()
    await this.#pause(this.requestDelay)
    const { onArrival } = this
    this.onArrival = undefined
    onArrival?.()
    const refusal = this.answer?.(keyOf(key), planned.change)
    if (refusal) throw refusal
    const object = this.#patched(key, operations)
    this.patches.push({ key: keyOf(key), ...planned })
    const answer = this.#save(key, object)
    const { onWritten } = this
    this.onWritten = undefined
    onWritten?.()
    await this.#pause(this.answerDelay)
    if (lost) throw new ClusterRefusal('CLUSTER_UNAVAILABLE', 'cut', { status: 0, noAnswer: 'cut' })
    return answer
  }

  #patched(key: WorkloadKey, operations: readonly PatchOperation[]): WorkloadObject {
    const before = this.#object(key)
    const patched = applied(before, operations)
    if (!patched) {
      const message = 'the server rejected our request due to an error in our request'
      const details = { status: 422, message }
      throw new ClusterRefusal('CLUSTER_REJECTED', message, { status: 422, details })
    }
    return afterPatch(key.kind, before, patched, ++this.#version)
  }

  #object(key: WorkloadKey): WorkloadObject {
    const object = this.#live.get(keyOf(key))
    if (!object) throw new ClusterRefusal('NOT_FOUND', `${keyOf(key)} is not there`, { status: 404 })
    return object
  }

  #save(key: WorkloadKey, object: WorkloadObject): PatchAnswer {
    this.#live.set(keyOf(key), object)
    this.#tell(() => this.#store.sink(key.kind).put(object, OUTRANKS_NONE))
    return { kind: 'PartialObjectMetadata', metadata: object.metadata }
  }

  #tell(event: () => void): void {
    if (this.#untold) this.#untold.push(event)
    else event()
  }

  #notify(before: Workload | undefined, after: Workload | undefined): void {
    for (const listener of this.#listeners) listener(before, after)
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0)
      await new Promise<void>((resolve) => this.#later?.(resolve, Math.ceil(milliseconds)))
  }
}

export function aUser(username: string): ClusterUser {
  return { username, uid: `uid-${username}`, groups: ['developers'], extra: {} }
}

/** A deployment `shop/web` of three ready pods that nobody manages, but for what is given. */
export function aWorkload(given: Partial<Workload> = {}): Workload {
  const { kind = 'deployments', namespace = 'shop', name = 'web', annotations = {}, replicas = 3 } = given
  return aDeployment(`${namespace}/${name}`).with({
    uid: `uid-${kind}-${namespace}-${name}`,
    resourceVersion: '1',
    createdAt: Date.parse('2026-01-01T00:00:00Z'),
    hasAnnotations: Object.keys(annotations).length > 0,
    replicas,
    pods: { existing: replicas, ready: replicas, observedGeneration: 1 },
    ...given,
  })
}
