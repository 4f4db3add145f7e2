import type { ConfiguredNames, ScaledObject } from '../domain/autoscaling/scaled-object.ts'
import type { WorkloadKey } from '../domain/workload/workload.ts'
import type { KubernetesObject } from './api-object.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { KubernetesObserver, ScaledObjects } from './ports.ts'
import { FAILING } from './reflector.ts'
import { ScaledObjectStore } from './scaled-object-store.ts'
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

interface Options extends Omit<InformerOptions<'scaledobjects'>, 'observer'> {
  readonly observer: Pick<KubernetesObserver, 'listenerFailed'>
  /** Those of the kinds beside the built-in ones. */
  readonly names?: ConfiguredNames
}

/**
 * A trimmed copy of KEDA's ScaledObjects, kept current by list and watch while their definition exists. A watch of that
 * one definition shows when it is created and deleted, so a cluster without KEDA costs a bookmark a minute.
 */
export class ScaledObjectInformer extends Informer<'scaledobjects', ScaledObject> implements ScaledObjects {
  readonly name = 'scaled objects'
  readonly #options: Options
  readonly #store: ScaledObjectStore
  /** Ends the watch of ScaledObjects; undefined: they have no definition. */
  #present: AbortController | undefined
  #watch = Promise.resolve()
  #failing = false

  constructor(options: Options) {
    // The metric of watches counts those of workloads and namespaces.
    super({ ...options, observer: { listenerFailed: () => options.observer.listenerFailed() } })
    this.#options = options
    this.#store = new ScaledObjectStore((before, after) => this.tell(before, after), options.names)
    this.onConnection((connected) => connected && this.#settle())
    this.onFailure((_kind, _error, times) => this.#failed(times))
  }

  /**
   * It is ready when KEDA is known to be absent, when its ScaledObjects are watched, or when the cluster refuses either
   * several times: that is retried, and nothing else waits for it.
   */
  protected begin(signal: AbortSignal): void {
    const progress = { failed: (times: number) => this.#failed(times) }
    const watched = watchObject<Definition>(
      { ...this.#options, reference: DEFINITION, longestRetry: LONGEST_DEFINITION_RETRY, progress },
      (definition) => this.#defined(definition !== undefined && isEstablished(definition), signal),
      signal,
    )
    this.untilStopped(watched)
  }

  /** Whether the copies are complete and current; without KEDA: true once its absence is known. */
  get isConnected(): boolean {
    return this.#present ? this.isCurrent('scaledobjects') : !this.#failing
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

  /** Stores the result of our own write if it is newer than our copy, and calls the listeners. */
  applied(scaledObject: ScaledObject): void {
    this.#store.applied(scaledObject)
  }

  #defined(exists: boolean, stopped: AbortSignal): void {
    const { logger } = this.#options
    if (exists === this.isPresent) return exists ? undefined : this.#settle()
    logger.info(exists ? PRESENT : ABSENT)
    if (exists) {
      this.#present = new AbortController()
      const signal = AbortSignal.any([this.#present.signal, stopped])
      const row = { collection: SCALED_OBJECTS, sink: this.#store.sink, longestRetry: LONGEST_RETRY }
      this.#watch = this.#watch.then(() => this.follow('scaledobjects', row, signal))
      return
    }
    this.#present?.abort()
    this.#present = undefined
    this.#store.clear()
    this.#settle()
  }

  #settle(): void {
    this.#failing = false
    this.ready.resolve()
  }

  #failed(times: number): void {
    if (times < FAILING) return
    this.#failing = true
    this.ready.resolve()
  }
}

/** Until then the API server does not serve its objects. */
function isEstablished({ status, metadata }: Definition): boolean {
  if (metadata.deletionTimestamp != null) return false
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
}
