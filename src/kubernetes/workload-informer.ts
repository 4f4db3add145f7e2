import type { Clock } from '../process/clock.ts'
import { isBuiltIn } from '../domain/kinds.ts'
import { KINDS, type Kind, type Workload, type WorkloadKey } from '../domain/workload/workload.ts'
import { workloadsOf } from './client.ts'
import type { Delivered } from './delivered.ts'
import { KindNotServed, KindUnmanageable, type ConfiguredKinds } from './configured-kinds.ts'
import { ClusterRefusal } from './failures.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { WorkloadCopy } from './patcher.ts'
import { PodOwners } from './pod-owners.ts'
import type { WatchedWorkloads } from './ports.ts'
import { FAILING } from './reflector.ts'
import { createIntern } from './trim.ts'
import { WorkloadStore } from './workload-store.ts'

interface Options extends InformerOptions<Kind> {
  /** The kinds beside the built-in ones. */
  readonly configured?: Pick<ConfiguredKinds, 'fields' | 'collectionOf'>
  readonly clock?: Clock
  /** Keeps their objects whole. */
  readonly delivered?: Delivered
  /** Whether it keeps the labels of their pods. */
  readonly keepsPodLabels?: boolean
}

/**
 * A trimmed copy of all workloads of all kinds, kept current by list and watch. ReplicaSets with
 * a controller owner are left out.
 */
export class WorkloadInformer extends Informer<Kind, Workload> implements WatchedWorkloads, WorkloadCopy {
  readonly name = 'informer'
  readonly #options: Options
  readonly #kinds: readonly Kind[]
  readonly #store: WorkloadStore
  readonly #podOwners = new PodOwners()
  readonly #complete = Promise.withResolvers<void>()
  readonly #examined = Promise.withResolvers<void>()
  readonly #listed = new Set<Kind>()
  readonly #failing = new Set<Kind>()
  /** Configured kinds that the cluster does not serve. */
  readonly #absent = new Set<Kind>()
  /** Configured kinds whose definition or configuration does not let us manage them. */
  readonly #unmanageable = new Set<Kind>()
  /** Why configured kinds cannot be watched. */
  readonly #faults = new Map<Kind, string>()

  constructor(options: Options) {
    super(options)
    const { clock = Date.now, configured, delivered } = options
    this.#options = options
    this.#kinds = [...KINDS, ...(configured?.fields.keys() ?? [])]
    const changed = (before: Workload | undefined, after: Workload | undefined) => {
      const deployments = this.#podOwners.changed(before, after)
      this.tell(before, after)
      this.inputsChanged(deployments)
    }
    this.#store = new WorkloadStore(changed, clock, this.#kinds, delivered)
    this.onConnection((connected, kind) => connected && this.#succeeded(kind))
    this.onFailure((kind, error, times) => this.#failed(kind, error, times))
  }

  /**
   * Begins to list and watch; it is ready when every kind that the cluster lets us read is watched, however long that
   * takes. A refused kind delays no other, and is retried.
   */
  protected begin(signal: AbortSignal): void {
    for (const { promise, reject } of [this.#complete, this.#examined]) {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      // Only callers of `complete` and `examined` handle a rejection.
      promise.catch(() => {})
    }
    const { configured, keepsPodLabels } = this.#options
    const intern = createIntern()
    for (const kind of this.#kinds) {
      const collection = isBuiltIn(kind) ? workloadsOf(kind) : configured?.collectionOf(kind)
      if (!collection) throw new TypeError(`${kind} is not configured`)
      const sink = this.#store.sink(kind, intern, configured?.fields, keepsPodLabels)
      void this.follow(kind, { collection, sink })
    }
  }

  /**
   * Resolves when all kinds that the cluster serves and that can be managed are listed and watched at the same time;
   * rejects when stopped before.
   */
  complete(): Promise<void> {
    return this.#complete.promise
  }

  /** The same, but that a configured kind which is refused again and again holds up nothing: `faultOf` says why. */
  examined(): Promise<void> {
    return this.#examined.promise
  }

  isConnected(kind: Kind): boolean {
    return this.isCurrent(kind)
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
      connected: this.isCurrent(kind),
    }))
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#store.get(key)
  }

  list(namespace?: string, kind?: Kind): Iterable<Workload> {
    return this.#store.list(namespace, kind)
  }

  /**
   * An input of the decisions about these workloads changed, such as their Namespace or a calendar: call the listeners
   * with (copy, copy) for each workload that this `concerns`, in turns of the event loop. This includes workloads whose
   * copy was replaced since it began, because listeners ignore most changes, such as those of a status.
   */
  inputsChanged(keys: Iterable<WorkloadKey>, concerns: (workload: Workload) => boolean = () => true): void {
    this.tellAgain(keys, (key) => {
      const workload = this.get(key)
      return workload && mayConcern(workload, concerns) ? workload : undefined
    })
  }

  /** Stores the result of our own write if it is newer than our copy, and calls the listeners. */
  applied(workload: Workload): void {
    this.#store.applied(workload)
  }

  protected override listed(kind: Kind): void {
    this.#listed.add(kind)
  }

  #succeeded(kind: Kind): void {
    this.#options.logger.info({ kind }, 'watching')
    for (const set of [this.#failing, this.#absent, this.#unmanageable, this.#faults]) set.delete(kind)
    this.#settle()
  }

  #failed(kind: Kind, error: unknown, times: number): void {
    if (error instanceof KindNotServed) this.#absent.add(kind)
    if (error instanceof KindUnmanageable) this.#unmanageable.add(kind)
    if (!isBuiltIn(kind) && error instanceof ClusterRefusal) this.#fault(kind, error.message)
    if (times < FAILING) return
    this.#failing.add(kind)
    this.#settle()
  }

  /** Each new fault is logged: one retry after another may find a different one. */
  #fault(kind: Kind, error: string): void {
    if (this.#faults.get(kind) === error) return
    this.#faults.set(kind, error)
    this.#options.logger.warn({ kind, error }, 'a configured kind cannot be managed; it is tried again')
  }

  #settle(): void {
    const missing = this.#kinds.filter((kind) => !this.isCurrent(kind))
    const left = missing.filter((kind) => !this.#absent.has(kind) && !this.#unmanageable.has(kind))
    if (left.length === 0) this.#complete.resolve()
    if (left.every((kind) => this.#faults.has(kind) && this.#failing.has(kind))) this.#examined.resolve()
    if (missing.length < this.#kinds.length && missing.every((kind) => this.#failing.has(kind)))
      this.ready.resolve()
  }
}

/** Also where `concerns` throws: each listener handles its own errors. */
function mayConcern(workload: Workload, concerns: (workload: Workload) => boolean): boolean {
  try {
    return concerns(workload)
  } catch {
    return true
  }
}
