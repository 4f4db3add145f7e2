import type { ConfiguredNames, ScaledObject } from '../domain/autoscaling/scaled-object.ts'
import type { WorkloadKey } from '../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, type Delay } from '../process/delay.ts'
import { Listeners } from './listeners.ts'
import type { KubernetesObserver, ScaledObjects } from './ports.ts'
import { FAILING, Reflector, type Sink } from './reflector.ts'
import { ScaledObjectStore, type ScalerListener, type ScaledObjectResource } from './scaled-object-store.ts'
import { watchObject } from './single-object.ts'

const SCALED_OBJECTS = {
  resource: 'scaledobjects',
  path: '/apis/keda.sh/v1alpha1/scaledobjects',
} as const
const DEFINITION = {
  resource: 'customresourcedefinitions',
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  name: 'scaledobjects.keda.sh',
} as const

/** Milliseconds: the longest pause before a refused watch of the definition is tried again. */
const LONGEST_DEFINITION_RETRY = 30_000
/** Milliseconds: the same for ScaledObjects. */
const LONGEST_RETRY = 5000

const ABSENT = "KEDA's ScaledObjects are not looked for any more: their definition is gone"
const PRESENT = 'KEDA is here: its ScaledObjects are watched, and paused while their workloads sleep'

interface Definition extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] }
}

interface Options {
  readonly client: Pick<KubernetesClient, 'listPage' | 'watch'>
  readonly observer: Pick<KubernetesObserver, 'listenerFailed'>
  readonly logger: Logger
  /** The kinds beside the built-in ones. */
  readonly names?: ConfiguredNames
  readonly delay?: Delay
}

/**
 * A trimmed copy of KEDA's ScaledObjects, kept current by list and watch while their definition exists. A watch of that
 * one definition shows when it is created and deleted, so a cluster without KEDA costs a bookmark a minute.
 */
export class ScaledObjectInformer implements Runnable, ScaledObjects {
  readonly name = 'scaled objects'
  readonly #options: Options
  readonly #store: ScaledObjectStore
  readonly #changes: Listeners<Parameters<ScalerListener>>
  readonly #connections: Listeners<[connected: boolean]>
  readonly #stopped = new AbortController()
  readonly #settled = Promise.withResolvers<void>()
  #reflector: Reflector<ScaledObjectResource> | undefined
  /** Ends the watch of ScaledObjects; undefined: they have no definition. */
  #present: AbortController | undefined
  #definition = Promise.resolve()
  #watch = Promise.resolve()
  #failing = false

  constructor(options: Options) {
    const { observer, logger } = options
    this.#options = options
    this.#changes = new Listeners(observer, logger)
    this.#connections = new Listeners(observer, logger)
    this.#store = new ScaledObjectStore((before, after) => {
      const { namespace, name } = after ?? before ?? {}
      this.#changes.notify({ kind: SCALED_OBJECTS.resource, namespace, name }, before, after)
    }, options.names)
  }

  /**
   * Resolves when KEDA is known to be absent, when its ScaledObjects are watched, or when the cluster refuses either
   * several times: that is retried, and nothing else waits for it.
   */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    const { client, logger, delay = systemDelay } = this.#options
    signal.addEventListener('abort', () => this.#settled.resolve(), { once: true })
    this.#definition = watchObject<Definition>(
      {
        client,
        reference: DEFINITION,
        logger,
        delay,
        longestRetry: LONGEST_DEFINITION_RETRY,
        progress: { failed: (times) => this.#failed(times) },
      },
      (definition) => this.#defined(definition !== undefined && isEstablished(definition)),
      signal,
    )
    await this.#settled.promise
  }

  /** Ends all watches; resolves when all their sockets and timers are closed. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#present?.abort()
    await Promise.all([this.#definition, this.#watch])
  }

  /** Whether the copies are complete and current; without KEDA: true once its absence is known. */
  get isConnected(): boolean {
    return this.#reflector ? this.#reflector.connected : !this.#failing
  }

  /** Whether the cluster has KEDA's definition. */
  get isPresent(): boolean {
    return this.#present !== undefined
  }

  get(key: string): ScaledObject | undefined {
    return this.#store.get(key)
  }

  list(): Iterable<ScaledObject> {
    return this.#store.list()
  }

  ofTarget(key: WorkloadKey): readonly ScaledObject[] {
    return this.#store.ofTarget(key)
  }

  targetOf(scaledObject: ScaledObject): WorkloadKey | 'unknown' | undefined {
    return this.#store.targetOf(scaledObject)
  }

  /**
   * Called synchronously for each change of a field that the rules read; errors of listeners are logged and counted.
   */
  onChange(listener: ScalerListener): void {
    this.#changes.add(listener)
  }

  /** Called synchronously when the watch breaks or is connected again. */
  onConnection(listener: (connected: boolean) => void): void {
    this.#connections.add(listener)
  }

  /** Stores the result of our own write if it is newer than our copy, and calls the listeners. */
  applied(scaledObject: ScaledObject): void {
    this.#store.applied(scaledObject)
  }

  #defined(exists: boolean): void {
    const { logger } = this.#options
    if (exists === (this.#present !== undefined)) return exists ? undefined : this.#settle()
    if (exists) {
      logger.info(PRESENT)
      this.#present = new AbortController()
      const before = this.#watch
      const { signal } = this.#present
      this.#watch = before.then(() => this.#run(signal))
      return
    }
    logger.info(ABSENT)
    this.#present?.abort()
    this.#present = undefined
    this.#reflector = undefined
    this.#store.clear()
    this.#settle()
  }

  async #run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { client, logger, delay = systemDelay } = this.#options
    const options = {
      client,
      collection: SCALED_OBJECTS,
      sink: untilAborted(this.#store.sink, signal),
      logger,
      delay,
      longestRetry: LONGEST_RETRY,
    }
    const reflector = new Reflector<ScaledObjectResource>(options, {
      connected: (connected) => {
        if (connected) this.#settle()
        this.#connections.notify({ kind: SCALED_OBJECTS.resource }, connected)
      },
      failed: (times) => this.#failed(times),
    })
    this.#reflector = reflector
    await reflector.run(signal)
  }

  #settle(): void {
    this.#failing = false
    this.#settled.resolve()
  }

  #failed(times: number): void {
    if (times < FAILING) return
    this.#failing = true
    this.#settled.resolve()
  }
}

/** Ignores objects that arrive after their definition was deleted: nothing would remove them. */
function untilAborted<Watched>(sink: Sink<Watched>, signal: AbortSignal): Sink<Watched> {
  return {
    put(object, outranks) {
      if (!signal.aborted) sink.put(object, outranks)
    },
    delete(object) {
      if (!signal.aborted) sink.delete(object)
    },
    retain(...list) {
      if (!signal.aborted) sink.retain(...list)
    },
  }
}

/** Until then the API server does not serve its objects. */
function isEstablished({ status, metadata }: Definition): boolean {
  if (metadata.deletionTimestamp != null) return false
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
}
