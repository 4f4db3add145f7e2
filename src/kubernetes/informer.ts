import type { Clock } from '../clock.ts'
import { compareVersions, KINDS, type Kind, type Workload, type WorkloadKey } from '../domain/workload.ts'
import type * as Api from '../api/ports.ts'
import type * as Controller from '../controller/ports.ts'
import type { Logger } from '../logger.ts'
import type * as Metrics from '../metrics/ports.ts'
import type * as Webhook from '../webhook/ports.ts'
import type { Runnable } from '../runnable.ts'
import type { WorkloadObject } from './api-object.ts'
import { delay, type Delay } from './delay.ts'
import type { ClusterRefusal } from './failures.ts'
import type { KubernetesObserver } from './ports.ts'
import type { WorkloadCopy } from './patcher.ts'
import { Reflector, type Lister, type Sink } from './reflector.ts'
import { WorkloadStore, type ChangeListener } from './store.ts'
import { createIntern, trim } from './trim.ts'

/** Hears whether the watch of a kind stands. */
type ConnectionListener = (kind: Kind, connected: boolean) => void

/** Hears of each list or watch of a kind that failed. */
type FailureListener = (kind: Kind, error: unknown) => void

/** A kind that failed so many times in a row is not waited for, where another stands. */
const FAILING = 3
interface Options {
  lister: Lister
  observer: KubernetesObserver
  logger: Logger
  /** Milliseconds without an event or bookmark after which a watch is replaced; default 150,000. */
  silence?: number
  /** Objects in one page of a list; default 500. */
  pageSize?: number
  delay?: Delay
  clock?: Clock
}

/**
 * A trimmed copy of all workloads of the four kinds, kept current by list and watch. ReplicaSets with
 * a controller owner are left out: they carry copies of their Deployment's annotations.
 */
export class WorkloadInformer
  implements Runnable, Controller.Workloads, Api.Workloads, Webhook.Workloads, Metrics.Informer, WorkloadCopy
{
  readonly name = 'informer'
  readonly #logger: Logger
  readonly #observer: KubernetesObserver
  readonly #store: WorkloadStore
  readonly #reflectors: ReadonlyMap<Kind, Reflector>
  readonly #listeners: ChangeListener[] = []
  readonly #connectionListeners: ConnectionListener[] = []
  readonly #failureListeners: FailureListener[] = []
  readonly #listed = new Set<Kind>()
  readonly #failing = new Set<Kind>()
  readonly #any = Promise.withResolvers<void>()
  readonly #all = Promise.withResolvers<void>()
  readonly #intern = createIntern()
  readonly #stopped = new AbortController()
  #runs: Promise<void>[] = []

  constructor(options: Options) {
    const { lister, observer, logger, silence = 150_000, pageSize = 500 } = options
    const { delay: wait = delay, clock = Date.now } = options
    this.#logger = logger
    this.#observer = observer
    this.#store = new WorkloadStore((before, after) => this.#notify(before, after), clock)
    this.#reflectors = new Map(
      KINDS.map((kind) => {
        const options = {
          kind,
          lister,
          sink: this.#sink(kind),
          observer,
          logger,
          delay: wait,
          silence,
          pageSize,
        }
        return [kind, new Reflector(options)]
      }),
    )
  }

  /**
   * Resolves when the kinds that can be had are listed and watched, however long that takes: one that the
   * cluster refuses stops no other, and is tried on. Rejects when stopped before.
   */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    const stopped = () => {
      this.#any.reject(signal.reason)
      this.#all.reject(signal.reason)
    }
    signal.addEventListener('abort', stopped, { once: true })
    // Only who asks for `complete` is to hear of it.
    this.#all.promise.catch(() => {})
    this.#runs = [...this.#reflectors].map(([kind, reflector]) =>
      reflector.run(signal, {
        listed: () => void this.#listed.add(kind),
        connected: (connected) => this.#connection(kind, connected),
        failed: (times, error) => {
          for (const listener of this.#failureListeners) this.#tell(() => listener(kind, error), { kind })
          if (times < FAILING) return
          this.#failing.add(kind)
          this.#judge()
        },
      }),
    )
    await this.#any.promise
  }

  /** Resolves when all four kinds are listed and watched at once; rejects when stopped before. */
  complete(): Promise<void> {
    return this.#all.promise
  }

  /** Its watches are cut; no socket or timer of them is left when it resolves. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#runs)
  }

  /** Whether what is here of this kind is all there is, and current: it was listed, and its watch stands. */
  isConnected(kind: Kind): boolean {
    return this.#reflectors.get(kind)?.connected === true
  }

  /** Each kind: whether it was ever listed, and whether its watch stands. */
  get watches(): { kind: Kind; listed: boolean; connected: boolean }[] {
    return KINDS.map((kind) => ({ kind, listed: this.#listed.has(kind), connected: this.isConnected(kind) }))
  }

  get(key: WorkloadKey): Workload | undefined {
    return this.#store.get(key)
  }

  list(namespace?: string, kind?: Kind): Iterable<Workload> {
    return this.#store.list(namespace, kind)
  }

  /** Called synchronously for each change; a throw is logged and counted, and ends nothing. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** Called synchronously when the watch of a kind breaks or stands again. */
  onConnection(listener: ConnectionListener): void {
    this.#connectionListeners.push(listener)
  }

  /** Called synchronously when a list or watch of a kind failed; it is tried again all the same. */
  onFailure(listener: FailureListener): void {
    this.#failureListeners.push(listener)
  }

  /** A call found nobody there: every watch is put to the test. */
  suspect(error: ClusterRefusal): void {
    for (const reflector of this.#reflectors.values()) reflector.suspect(error)
  }

  /** Puts in what a write of ours returned, if it is newer than what is here; listeners hear of it. */
  applied(workload: Workload): void {
    this.#store.applied(workload)
  }

  #connection(kind: Kind, connected: boolean): void {
    if (connected) {
      this.#failing.delete(kind)
      this.#judge()
    }
    for (const listener of this.#connectionListeners) this.#tell(() => listener(kind, connected), { kind })
  }

  #judge(): void {
    const missing = KINDS.filter((kind) => !this.isConnected(kind))
    if (missing.length === 0) this.#all.resolve()
    if (missing.length < KINDS.length && missing.every((kind) => this.#failing.has(kind))) this.#any.resolve()
  }

  #sink(kind: Kind): Sink {
    const store = this.#store
    return {
      put: (object, backwards) => {
        if (isOwnedReplicaSet(kind, object)) store.delete(keyFrom(kind, object))
        else store.put(trim(kind, object, this.#intern), backwards)
      },
      delete: (object) => store.delete(keyFrom(kind, object)),
      retain: (listed, resourceVersion, backwards) => {
        for (const workload of store.list(undefined, kind)) {
          const newer = !backwards && compareVersions(workload.resourceVersion, resourceVersion) > 0
          if (!newer && !listed.has(`${workload.namespace}/${workload.name}`)) store.delete(workload)
        }
      },
    }
  }

  #notify(before: Workload | undefined, after: Workload | undefined): void {
    const { kind, namespace, name } = after ?? before ?? {}
    for (const listener of this.#listeners)
      this.#tell(() => listener(before, after), { kind, namespace, name })
  }

  #tell(tell: () => void, about: object): void {
    try {
      tell()
    } catch (error) {
      this.#observer.listenerFailed()
      this.#logger.error({ err: error, ...about }, 'a listener of the informer failed')
    }
  }
}

function isOwnedReplicaSet(kind: Kind, { metadata }: WorkloadObject): boolean {
  return (
    kind === 'replicasets' && metadata.ownerReferences?.some(({ controller }) => controller === true) === true
  )
}

function keyFrom(kind: Kind, { metadata }: WorkloadObject): WorkloadKey {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name }
}
