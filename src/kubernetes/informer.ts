import type { Clock } from '../clock.ts'
import { compareVersions, KINDS, type Kind, type Workload, type WorkloadKey } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import type { WorkloadObject } from './api-object.ts'
import { delay, type Delay } from './delay.ts'
import type { KubernetesObserver } from './observer.ts'
import { Reflector, type Lister, type Sink } from './reflector.ts'
import { WorkloadStore, type ChangeListener } from './store.ts'
import { createIntern, trim } from './trim.ts'

interface Options {
  lister: Lister
  observer: KubernetesObserver
  log: Logger
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
export class WorkloadInformer implements Runnable {
  readonly name = 'informer'
  readonly #log: Logger
  readonly #observer: KubernetesObserver
  readonly #store: WorkloadStore
  readonly #reflectors: ReadonlyMap<Kind, Reflector>
  readonly #listeners: ChangeListener[] = []
  readonly #synced = new Set<Kind>()
  readonly #intern = createIntern()
  readonly #stopped = new AbortController()
  #runs: Promise<void>[] = []

  constructor(options: Options) {
    const { lister, observer, log, silence = 150_000, pageSize = 500 } = options
    const { delay: wait = delay, clock = Date.now } = options
    this.#log = log
    this.#observer = observer
    this.#store = new WorkloadStore((before, after) => this.#notify(before, after), clock)
    this.#reflectors = new Map(
      KINDS.map((kind) => {
        const options = {
          kind,
          lister,
          sink: this.#sink(kind),
          observer,
          log,
          delay: wait,
          silence,
          pageSize,
        }
        return [kind, new Reflector(options)]
      }),
    )
  }

  /** Resolves when all four kinds are listed and watched, however long that takes; rejects when stopped before. */
  async start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { signal } = this.#stopped
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    this.#runs = [...this.#reflectors].map(([kind, reflector]) =>
      reflector.run(signal, {
        listed: () => void this.#synced.add(kind),
        watching: () => {
          if (this.synced && this.connected) resolve()
        },
      }),
    )
    await promise
  }

  /** Its watches are cut; no socket or timer of them is left when it resolves. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#runs)
  }

  /** All four kinds have been listed at least once. */
  get synced(): boolean {
    return this.#synced.size === KINDS.length
  }

  /** All four watches stand: what is here is current. */
  get connected(): boolean {
    return [...this.#reflectors.values()].every((reflector) => reflector.connected)
  }

  /** Each kind's watch, and whether it stands. */
  get watches(): { kind: Kind; connected: boolean }[] {
    return [...this.#reflectors].map(([kind, { connected }]) => ({ kind, connected }))
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

  /** Puts in what a write of ours returned, if it is newer than what is here; listeners hear of it. */
  applied(workload: Workload): void {
    this.#store.applied(workload)
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
    for (const listener of this.#listeners) {
      try {
        listener(before, after)
      } catch (error) {
        this.#observer.listenerFailed()
        const { kind, namespace, name } = after ?? before ?? {}
        this.#log.error({ err: error, kind, namespace, name }, 'a listener of the informer failed')
      }
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
