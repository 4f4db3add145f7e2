import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Priority, Workloads, Writer } from '../../src/controller/ports.ts'
import { isEmpty, type Change } from '../../src/domain/patch.ts'
import { changed } from '../../src/domain/change.ts'
import { keyOf, KINDS, type Kind, type Workload, type WorkloadKey } from '../../src/domain/workload.ts'
import { Refusal } from '../../src/errors.ts'
import { aDeployment, type AWorkload } from '../support/workloads.ts'

type Listener = Parameters<Workloads['onChange']>[0]
type ConnectionListener = Parameters<Workloads['onConnection']>[0]

interface Patch {
  readonly key: string
  readonly change: Change
  readonly priority: Priority
}

/** A cluster and the informer's copy of it: what is written and seen, without I/O. */
export class FakeCluster implements Workloads, Writer {
  /** What went through, in order. */
  readonly patches: Patch[] = []
  /** Sent, be they taken or not. */
  sent = 0
  readonly #live = new Map<string, Workload>()
  readonly #copies = new Map<string, Workload>()
  readonly #listeners: Listener[] = []
  readonly #connectionListeners: ConnectionListener[] = []
  readonly #disconnected = new Set<Kind>()
  #version = 1000
  #heldBack: (() => void)[] | undefined
  /** What the API server says to a patch instead of taking it. */
  answer: ((key: string, change: Change) => Refusal | undefined) | undefined
  /** Before a patch is answered. */
  delay: () => Promise<void> = () => Promise.resolve()

  get(key: WorkloadKey): Workload | undefined {
    return this.#copies.get(keyOf(key))
  }

  list(): Iterable<Workload> {
    return this.#copies.values()
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

  /** As it is in truth. */
  live(key: WorkloadKey): AWorkload {
    const live = this.#live.get(keyOf(key))
    if (!live) throw new TypeError(`${keyOf(key)} is not there`)
    return aDeployment().with(live)
  }

  /** Its pods are as its spec asks, and its status says so. */
  podsFollow(key: WorkloadKey): void {
    this.put(this.live(key).settled())
  }

  /** Somebody writes it: the watch tells at once, unless it is cut. */
  put(workload: Workload): void {
    const written = { ...workload, resourceVersion: String(++this.#version) }
    this.#live.set(keyOf(workload), written)
    this.#tell(() => this.#see(written))
  }

  remove(key: WorkloadKey): void {
    this.#live.delete(keyOf(key))
    this.#tell(() => {
      const before = this.get(key)
      this.#copies.delete(keyOf(key))
      if (before) this.#notify(before, undefined)
    })
  }

  cutWatch(): void {
    this.#heldBack = []
  }

  mendWatch(): void {
    const held = this.#heldBack ?? []
    this.#heldBack = undefined
    for (const tell of held) tell()
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

  async write<P extends { change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    { priority }: { priority: Priority },
  ): Promise<{ plan: P; workload: Workload; wrote: boolean }> {
    let workload = this.get(key) ?? this.#read(key)
    for (let attempt = 1; attempt <= 5; attempt++) {
      const planned = plan(workload)
      const { change } = planned
      if (change === undefined || isEmpty(change)) return { plan: planned, workload, wrote: false }
      if (await this.#patch(workload, change, priority)) {
        const { pods } = this.#read(key)
        const written = { ...changed(workload, change), pods, resourceVersion: String(++this.#version) }
        this.#live.set(keyOf(key), written)
        this.#see(written)
        return { plan: planned, workload: written, wrote: true }
      }
      workload = this.#read(key)
    }
    throw new Refusal('CONFLICT', `${keyOf(key)} was changed by others each time`)
  }

  #read(key: WorkloadKey): Workload {
    const live = this.#live.get(keyOf(key))
    if (!live) throw new Refusal('NOT_FOUND', `${keyOf(key)} is not there`)
    return live
  }

  async #patch(workload: Workload, change: Change, priority: Priority): Promise<boolean> {
    const key = keyOf(workload)
    // A test that writes without end fails by its timeout, and does not hang.
    if (++this.sent % 50 === 0) await nextTurn()
    await this.delay()
    const refusal = this.answer?.(key, change)
    if (refusal) throw refusal
    const live = this.#live.get(key)
    if (!live) throw new Refusal('NOT_FOUND', `${key} is not there`)
    if (!stillHolds(workload, live)) return false
    this.patches.push({ key, change, priority })
    return true
  }

  #tell(event: () => void): void {
    if (this.#heldBack) this.#heldBack.push(event)
    else event()
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

/** A patch's precondition: uid, our annotations, and the count or our key. */
function stillHolds(decidedOn: Workload, live: Workload): boolean {
  return (
    decidedOn.uid === live.uid &&
    JSON.stringify(decidedOn.annotations) === JSON.stringify(live.annotations) &&
    decidedOn.replicas === live.replicas &&
    decidedOn.snoozeKey === live.snoozeKey
  )
}
