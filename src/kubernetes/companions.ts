import { resourceIn, type Companion, type CompanionRow, type Served } from '../domain/companions/companion.ts'
import { NO_CONFIGURED_NAMES, workloadsBeside, type ConfiguredNames } from '../domain/companions/link.ts'
import type { Kind } from '../domain/kinds.ts'
import type { Workload, WorkloadKey } from '../domain/workload/workload.ts'
import { CompanionStore } from './companion-store.ts'
import { isEstablished, servedBy, type CustomDefinition } from './definitions.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { CompanionCopies, KubernetesObserver } from './ports.ts'
import { FAILING } from './reflector.ts'
import { watchObject } from './single-object.ts'

const DEFINITIONS = {
  resource: 'customresourcedefinitions',
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
} as const

/** Milliseconds: the longest pause before a refused watch of a definition is tried again. */
const LONGEST_DEFINITION_RETRY = 30_000
/** Milliseconds: the same for the objects. */
const LONGEST_RETRY = 5000

interface Options extends Omit<InformerOptions<string>, 'observer'> {
  readonly observer: Pick<KubernetesObserver, 'listenerFailed'>
  readonly rows: readonly CompanionRow[]
  /** Those of the kinds beside the built-in ones. */
  readonly names?: ConfiguredNames
}

/** One row, and what is known of it. */
interface Followed {
  readonly row: CompanionRow
  readonly store: CompanionStore
  /** Where it is served, and what ends its watch; undefined: it has no definition, or none that serves us. */
  present: { readonly served: Served; readonly end: AbortController } | undefined
  watch: Promise<void>
  /** Whether it is known to be absent, or is watched, or was refused several times. */
  isSettled: boolean
  isFailing: boolean
}

/**
 * Trimmed copies of what stands beside workloads, kept current by list and watch while their definitions exist. A watch of
 * each one definition shows when it is created and deleted, so a cluster without KEDA costs a bookmark a minute.
 */
export class CompanionInformer extends Informer<string, Companion> implements CompanionCopies {
  readonly name = 'companions'
  readonly #options: Options
  readonly #names: ConfiguredNames
  readonly #followed: ReadonlyMap<string, Followed>

  constructor(options: Options) {
    // The metric of watches counts those of workloads and namespaces.
    super({ ...options, observer: { listenerFailed: () => options.observer.listenerFailed() } })
    const { rows, names = NO_CONFIGURED_NAMES } = options
    this.#options = options
    this.#names = names
    const followed = (row: CompanionRow): Followed => ({
      row,
      store: new CompanionStore(row, (before, after) => this.tell(before, after), names),
      present: undefined,
      watch: Promise.resolve(),
      isSettled: false,
      isFailing: false,
    })
    this.#followed = new Map(rows.map((row) => [row.resource, followed(row)]))
    this.onConnection((connected, resource) => connected && this.#settle(this.#at(resource)))
    this.onFailure((resource, _error, times) => this.#failed(this.#at(resource), times))
  }

  /**
   * It is ready when each resource is known to be absent or is watched, or when the cluster refuses it several times: that is
   * retried, and nothing else waits for it.
   */
  protected begin(signal: AbortSignal): void {
    for (const followed of this.#followed.values()) {
      const progress = { failed: (times: number) => this.#failed(followed, times) }
      const reference = { ...DEFINITIONS, name: followed.row.resource }
      const watched = watchObject<CustomDefinition>(
        { ...this.#options, reference, longestRetry: LONGEST_DEFINITION_RETRY, progress },
        (definition) => this.#defined(followed, definition, signal),
        signal,
      )
      this.untilStopped(watched)
    }
    if (this.#followed.size === 0) this.ready.resolve()
  }

  /** Whether the copies are complete and current; of what has no definition: true once its absence is known. */
  isConnected(resource: string): boolean {
    const { present, isFailing } = this.#at(resource)
    return present ? this.isCurrent(resource) : !isFailing
  }

  /** The resources that are there and cannot be watched. */
  get unseen(): string[] {
    return [...this.#followed.keys()].filter((each) => this.isPresent(each) && !this.isConnected(each))
  }

  /** Whether the cluster has its definition. */
  isPresent(resource: string): boolean {
    return this.#at(resource).present !== undefined
  }

  get(key: string): Companion | undefined {
    const [resource = '', namespace = '', name = ''] = key.split('/')
    return this.#followed.get(resource)?.store.get(namespace, name)
  }

  *list(): Generator<Companion> {
    for (const { store } of this.#followed.values()) yield* store.list()
  }

  /** Those of one resource that stand beside a workload; of none that nobody looks for. */
  of(resource: string, workload: WorkloadKey): readonly Companion[] {
    return this.#followed.get(resource)?.store.of(workload) ?? []
  }

  beside(workload: Workload): readonly Companion[] {
    return [...this.#followed.values()].flatMap(({ store }) => store.of(workload))
  }

  workloadsOf(
    companion: Companion,
    list: (namespace: string, kind: Kind) => Iterable<Workload>,
  ): readonly WorkloadKey[] | 'unknown' {
    return workloadsBeside(companion, this.#names, list)
  }

  /** Stores the result of our own write if it is newer than our copy, and calls the listeners. */
  applied(companion: Companion): void {
    this.#at(companion.row.resource).store.applied(companion)
  }

  #at(resource: string): Followed {
    const followed = this.#followed.get(resource)
    if (!followed) throw new TypeError(`${resource} is not followed`)
    return followed
  }

  #defined(followed: Followed, definition: CustomDefinition | undefined, stopped: AbortSignal): void {
    const { row, store, present } = followed
    const served = definition && isEstablished(definition) ? servedBy(definition) : undefined
    if (served?.base === present?.served.base && served?.kind === present?.served.kind)
      return served ? undefined : this.#settle(followed)
    this.#options.logger.info(
      { resource: row.resource },
      served
        ? 'it is here, and is paused while its workloads sleep'
        : 'it is not looked for any more: its definition is gone',
    )
    present?.end.abort()
    store.clear()
    followed.present = served && { served, end: new AbortController() }
    if (!followed.present) return this.#settle(followed)
    const signal = AbortSignal.any([followed.present.end.signal, stopped])
    const { resource } = resourceIn(row)
    const collection = { resource, path: `${followed.present.served.base}/${resource}` }
    const sink = store.sink(followed.present.served)
    followed.watch = followed.watch.then(() =>
      this.follow(row.resource, { collection, sink, longestRetry: LONGEST_RETRY }, signal),
    )
  }

  #settle(followed: Followed): void {
    followed.isFailing = false
    this.#settled(followed)
  }

  #failed(followed: Followed, times: number): void {
    if (times < FAILING) return
    followed.isFailing = true
    this.#settled(followed)
  }

  #settled(followed: Followed): void {
    followed.isSettled = true
    if ([...this.#followed.values()].every(({ isSettled }) => isSettled)) this.ready.resolve()
  }
}
