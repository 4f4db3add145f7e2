import type { Clock } from '../process/clock.ts'
import { isBuiltIn } from '../domain/kinds.ts'
import { KINDS, type Kind, type Workload, type WorkloadKey } from '../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { inTurns } from '../process/turns.ts'
import type { WorkloadObject } from './api-object.ts'
import { workloadsOf } from './client.ts'
import { KindNotServed, KindUnmanageable, type ConfiguredKinds } from './configured-kinds.ts'
import { delay as systemDelay, type Delay } from '../process/delay.ts'
import { ClusterRefusal } from './failures.ts'
import { Listeners } from './listeners.ts'
import type { WorkloadCopy } from './patcher.ts'
import type { KubernetesObserver, WatchedWorkloads } from './ports.ts'
import { FAILING, Reflector, type Progress, type ReflectorOptions } from './reflector.ts'
import { PodOwners } from './pod-owners.ts'
import { createIntern } from './trim.ts'
import { WorkloadStore, type ChangeListener } from './workload-store.ts'

/** Called with whether the watch of a kind is connected. */
type ConnectionListener = (kind: Kind, connected: boolean) => void

/** Called for a kind whose list proves that the cluster was restored from a backup. */
type RestoreListener = (kind: Kind) => void

/** Called for each failed list or watch of a kind. */
type FailureListener = (kind: Kind, error: unknown) => void

interface Options extends Pick<
  ReflectorOptions<WorkloadObject>,
  'client' | 'silence' | 'watchSeconds' | 'pageSize' | 'standstill'
> {
  observer: KubernetesObserver
  logger: Logger
  /** The kinds beside the built-in ones. */
  configured?: Pick<ConfiguredKinds, 'fields' | 'collectionOf'>
  delay?: Delay
  clock?: Clock
}

/**
 * A trimmed copy of all workloads of all kinds, kept current by list and watch. ReplicaSets with
 * a controller owner are left out.
 */
export class WorkloadInformer implements Runnable, WatchedWorkloads, WorkloadCopy {
  readonly name = 'informer'
  readonly #kinds: readonly Kind[]
  readonly #observer: KubernetesObserver
  readonly #logger: Logger
  readonly #store: WorkloadStore
  readonly #reflectors: ReadonlyMap<Kind, Reflector<WorkloadObject>>
  readonly #changes: Listeners<Parameters<ChangeListener>>
  readonly #connections: Listeners<Parameters<ConnectionListener>>
  readonly #restores: Listeners<Parameters<RestoreListener>>
  readonly #failures: Listeners<Parameters<FailureListener>>
  readonly #listed = new Set<Kind>()
  readonly #failing = new Set<Kind>()
  /** Configured kinds that the cluster does not serve. */
  readonly #absent = new Set<Kind>()
  /** Configured kinds whose definition or configuration does not let us manage them. */
  readonly #unmanageable = new Set<Kind>()
  /** Why configured kinds cannot be watched. */
  readonly #faults = new Map<Kind, string>()
  readonly #podOwners = new PodOwners()
  readonly #started = Promise.withResolvers<void>()
  readonly #complete = Promise.withResolvers<void>()
  readonly #stopped = new AbortController()
  #runs: Promise<void>[] = []

  constructor(options: Options) {
    const { client, observer, logger, delay = systemDelay, clock = Date.now } = options
    const { silence, watchSeconds, pageSize, standstill, configured } = options
    this.#kinds = [...KINDS, ...(configured?.fields.keys() ?? [])]
    this.#observer = observer
    this.#logger = logger
    this.#changes = new Listeners(observer, logger)
    this.#connections = new Listeners(observer, logger)
    this.#restores = new Listeners(observer, logger)
    this.#failures = new Listeners(observer, logger)
    this.#store = new WorkloadStore(
      (before, after) => {
        const deployments = this.#podOwners.changed(before, after)
        const { kind, namespace, name } = after ?? before ?? {}
        this.#changes.notify({ kind, namespace, name }, before, after)
        this.inputsChanged(deployments)
      },
      clock,
      this.#kinds,
    )
    const intern = createIntern()
    const reflectorOf = (kind: Kind) => {
      const sink = this.#store.sink(kind, intern, configured?.fields)
      const collection = isBuiltIn(kind) ? workloadsOf(kind) : configured?.collectionOf(kind)
      if (!collection) throw new TypeError(`${kind} is not configured`)
      const watching = { silence, watchSeconds, pageSize, standstill }
      const reflected = { client, collection, sink, logger, delay, ...watching }
      return new Reflector(reflected, this.#progressOf(kind))
    }
    this.#reflectors = new Map(this.#kinds.map((kind) => [kind, reflectorOf(kind)]))
  }

  /**
   * Resolves when every kind that the cluster lets us read is listed and watched, however long that takes. A refused
   * kind delays no other, and is retried. Rejects when stopped before.
   */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    const stopped = () => {
      this.#started.reject(signal.reason)
      this.#complete.reject(signal.reason)
    }
    signal.addEventListener('abort', stopped, { once: true })
    // Only callers of `complete` handle its rejection.
    this.#complete.promise.catch(() => {})
    this.#runs = [...this.#reflectors.values()].map((reflector) => reflector.run(signal))
    await this.#started.promise
  }

  /**
   * Resolves when all kinds that the cluster serves and that can be managed are listed and watched at the same time;
   * rejects when stopped before.
   */
  complete(): Promise<void> {
    return this.#complete.promise
  }

  /** Ends all watches; resolves when all their sockets and timers are closed. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#runs)
  }

  /** Whether our copies of this kind are complete and current: it was listed, and its watch is connected. */
  isConnected(kind: Kind): boolean {
    return this.#reflectors.get(kind)?.connected === true
  }

  /** Why a configured kind cannot be watched; undefined: it can, or nothing is known. */
  faultOf(kind: Kind): string | undefined {
    return this.#faults.get(kind)
  }

  /** For each configured kind that the cluster serves and we cannot manage: why. */
  get unmanageable(): string[] {
    return [...this.#unmanageable].flatMap((kind) => this.faultOf(kind) ?? [])
  }

  /** The workload that owns this one's pods and scales it in its place; undefined: none. */
  podOwnerOf(key: WorkloadKey): WorkloadKey | undefined {
    return this.#podOwners.of(key)
  }

  /** Each kind: whether it was ever listed, and whether its watch is connected. */
  get watches(): { kind: Kind; listed: boolean; connected: boolean }[] {
    return this.#kinds.map((kind) => ({
      kind,
      listed: this.#listed.has(kind),
      connected: this.isConnected(kind),
    }))
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#store.get(key)
  }

  list(namespace?: string, kind?: Kind): Iterable<Workload> {
    return this.#store.list(namespace, kind)
  }

  /**
   * Called synchronously for each change; if only an input of its decision changed, `before` and `after` are the same
   * copy. A listener that throws is logged and counted, and stops nothing.
   */
  onChange(listener: ChangeListener): void {
    this.#changes.add(listener)
  }

  /**
   * An input of the decisions about these workloads changed, such as their Namespace or a calendar: call the listeners
   * with (copy, copy) for each workload that this `concerns`, in turns of the event loop. This includes workloads whose
   * copy was replaced since it began, because listeners ignore most changes, such as those of a status.
   */
  inputsChanged(keys: Iterable<WorkloadKey>, concerns: (workload: Workload) => boolean = () => true): void {
    const notify = ({ kind, namespace, name }: WorkloadKey) => {
      const workload = this.get({ kind, namespace, name })
      if (workload && this.#mayConcern(workload, concerns))
        this.#changes.notify({ kind, namespace, name }, workload, workload)
    }
    void inTurns(keys, notify, this.#stopped.signal)
  }

  /** Called synchronously when the watch of a kind breaks or is connected again. */
  onConnection(listener: ConnectionListener): void {
    this.#connections.add(listener)
  }

  /**
   * Called synchronously when a list has proved that the cluster was restored from a backup: all copies of the kind are
   * correct again, and its watch is not connected yet.
   */
  onRestored(listener: RestoreListener): void {
    this.#restores.add(listener)
  }

  /** Called synchronously when a list or watch of a kind failed; it is retried all the same. */
  onFailure(listener: FailureListener): void {
    this.#failures.add(listener)
  }

  /** Replaces every watch: a call could not reach the cluster, and a watch may be the last to notice. */
  suspect(error: ClusterRefusal): void {
    for (const reflector of this.#reflectors.values()) reflector.suspect(error)
  }

  /** Stores the result of our own write if it is newer than our copy, and calls the listeners. */
  applied(workload: Workload): void {
    this.#store.applied(workload)
  }

  /** If `concerns` throws for a workload, call the listeners: each handles its own errors. */
  #mayConcern(workload: Workload, concerns: (workload: Workload) => boolean): boolean {
    try {
      return concerns(workload)
    } catch {
      return true
    }
  }

  #progressOf(kind: Kind): Progress {
    return {
      listed: () => void this.#listed.add(kind),
      restored: () => this.#restores.notify({ kind }, kind),
      connected: (connected) => {
        if (connected) {
          this.#logger.info({ kind }, 'watching')
          this.#failing.delete(kind)
          this.#absent.delete(kind)
          this.#unmanageable.delete(kind)
          this.#faults.delete(kind)
          this.#settle()
        }
        this.#connections.notify({ kind }, kind, connected)
      },
      restarted: (reason) => this.#observer.watchRestarted(kind, reason),
      failed: (times, error) => {
        if (error instanceof KindNotServed) this.#absent.add(kind)
        if (error instanceof KindUnmanageable) this.#unmanageable.add(kind)
        if (!isBuiltIn(kind) && error instanceof ClusterRefusal) this.#fault(kind, error.message)
        this.#failures.notify({ kind }, kind, error)
        if (times < FAILING) return
        this.#failing.add(kind)
        this.#settle()
      },
    }
  }

  /** Each new fault is logged: one retry after another may find a different one. */
  #fault(kind: Kind, message: string): void {
    if (this.#faults.get(kind) === message) return
    this.#faults.set(kind, message)
    this.#logger.warn({ kind, error: message }, 'a configured kind cannot be managed; it is tried again')
  }

  #settle(): void {
    const missing = this.#kinds.filter((kind) => !this.isConnected(kind))
    if (missing.every((kind) => this.#absent.has(kind) || this.#unmanageable.has(kind)))
      this.#complete.resolve()
    if (missing.length < this.#kinds.length && missing.every((kind) => this.#failing.has(kind)))
      this.#started.resolve()
  }
}
