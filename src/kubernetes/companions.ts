import type { Companion, CompanionRow, Served } from '../domain/companions/companion.ts'
import { busyAmong, type Busy } from '../domain/companions/busy.ts'
import { NO_CONFIGURED_NAMES, workloadsBeside, type ConfiguredNames } from '../domain/companions/link.ts'
import { namesIn } from '../domain/json-pointer.ts'
import {
  isBuiltIn,
  resourceOf,
  SCALABLE_KINDS,
  typeOf,
  type ConfiguredKind,
  type Kind,
} from '../domain/kinds.ts'
import type { Workload, WorkloadKey } from '../domain/workload/workload.ts'
import { CompanionStore } from './companion-store.ts'
import { keptBy } from '../domain/companions/mark.ts'
import { DEFINITIONS, isEstablished, notServed, servedBy, type CustomDefinition } from './definitions.ts'
import { Informer, type InformerOptions } from './informer.ts'
import { Listeners } from './listeners.ts'
import type { CompanionCopies } from './ports.ts'
import { ClusterRefusal } from './failures.ts'
import { FAILING } from './reflector.ts'
import { watchObject } from './single-object.ts'

/** Milliseconds: the longest pause before a refused watch of a definition is tried again. */
const LONGEST_DEFINITION_RETRY = 30_000
/** Milliseconds: the same for the objects. */
const LONGEST_RETRY = 5000

interface Options extends InformerOptions<ConfiguredKind> {
  readonly rows: readonly CompanionRow[]
  /** Those of the kinds beside the built-in ones. */
  readonly names?: ConfiguredNames
}

/** One row, and what is known of it. */
interface Followed {
  readonly row: CompanionRow
  readonly store: CompanionStore
  /** The place where it is served, and the end of its watch; undefined: it has no definition, or none that serves us. */
  present: { readonly served: Served; readonly end: AbortController } | undefined
  watch: Promise<void>
  /** Whether it is known to be absent, or is watched, or was refused several times. */
  isSettled: boolean
  isFailing: boolean
  /** Whether a workload sleeps that needs it; of what is not built in: always. */
  isNeeded: boolean
  /** Why it cannot be watched or paused. */
  fault: string | undefined
}

/**
 * Trimmed copies of what stands beside workloads, kept current by list and watch while their definitions exist. A watch of
 * each one definition shows when it is created and deleted, so a cluster without KEDA costs a bookmark a minute.
 */
export class CompanionInformer extends Informer<ConfiguredKind, Companion> implements CompanionCopies {
  readonly name = 'companions'
  readonly #options: Options
  readonly #names: ConfiguredNames
  readonly #followed: ReadonlyMap<ConfiguredKind, Followed>
  readonly #faults: Listeners<[row: CompanionRow]>
  #stopped: AbortSignal | undefined

  constructor(options: Options) {
    const { rows, names = NO_CONFIGURED_NAMES, observer } = options
    // The metric of watches counts what the configuration names.
    const isCounted = (resource: string) => rows.some((row) => row.resource === resource && row.isConfigured)
    super({
      ...options,
      observer: {
        listenerFailed: () => observer.listenerFailed(),
        watchRestarted: (resource, reason) =>
          isCounted(resource) && observer.watchRestarted?.(resource, reason),
      },
    })
    this.#options = options
    this.#names = names
    this.#faults = new Listeners(options.observer, options.logger)
    const followed = (row: CompanionRow): Followed => ({
      row,
      store: new CompanionStore(row, (before, after) => this.tell(before, after), names),
      present: undefined,
      watch: Promise.resolve(),
      isSettled: false,
      isFailing: false,
      isNeeded: row.builtIn === undefined,
      fault: undefined,
    })
    this.#followed = new Map(rows.map((row) => [row.resource, followed(row)]))
    this.onConnection((connected, resource) => connected && this.#connected(this.#at(resource)))
    this.onFailure((resource, error, times) => this.#failed(this.#at(resource), error, times))
  }

  /**
   * It is ready when each resource is known to be absent or is watched, or when the cluster refuses it several times: that is
   * retried, and nothing else waits for it.
   */
  protected begin(signal: AbortSignal): void {
    this.#stopped = signal
    for (const followed of this.#followed.values()) {
      if (followed.row.builtIn) {
        this.#serve(followed, followed.row.builtIn)
        continue
      }
      const progress = { failed: (times: number, error: unknown) => this.#failed(followed, error, times) }
      const reference = { ...DEFINITIONS, name: followed.row.resource }
      const watched = watchObject<CustomDefinition>(
        { ...this.#options, reference, longestRetry: LONGEST_DEFINITION_RETRY, progress },
        (definition) => this.#defined(followed, definition),
        signal,
      )
      this.untilStopped(watched)
    }
    if (this.#followed.size === 0) this.ready.resolve()
  }

  /** Whether the copies are complete and current; of what has no definition: true once its absence is known. */
  isConnected(resource: ConfiguredKind): boolean {
    const { present, isFailing } = this.#at(resource)
    return present ? this.isCurrent(resource) : !isFailing
  }

  /** The resources that are there and cannot be watched. */
  get unseen(): ConfiguredKind[] {
    return [...this.#followed.keys()].filter((each) => this.isPresent(each) && !this.isConnected(each))
  }

  /** Each row, and why it cannot be watched or paused; undefined: nothing is known to be wrong with it. */
  get rows(): readonly { readonly row: CompanionRow; readonly fault: string | undefined }[] {
    return [...this.#followed.values()]
  }

  /** Each configured resource, and whether its watch is connected. */
  get watches(): { kind: ConfiguredKind; connected: boolean }[] {
    const configured = [...this.#followed.keys()].filter((each) => this.#at(each).row.isConfigured)
    return configured.map((kind) => ({ kind, connected: this.isCurrent(kind) }))
  }

  /** The first thing beside a workload that its sleep would disturb, or may disturb where that cannot be seen. */
  busyBeside(workload: Workload): Busy | undefined {
    for (const { row, store, fault } of this.#followed.values()) {
      if (!row.busy) continue
      const busy = busyAmong(store.of(workload))
      if (busy) return busy
      const isUnseen =
        fault !== undefined && fault !== notServed(row.resource) && mayStandBeside(row, undefined, workload)
      if (isUnseen)
        return { why: `whether one of ${row.resource} is busy is not known: ${fault}`, since: undefined }
    }
    return undefined
  }

  /** Why what stands beside this workload may not be paused; undefined: nothing is known to be wrong. */
  faultBeside(workload: Workload): string | undefined {
    for (const { row, fault, present } of this.#followed.values())
      if (row.pause && fault !== undefined && mayStandBeside(row, present?.served.kind, workload))
        return fault
    return undefined
  }

  need(): void {
    for (const followed of this.#followed.values()) {
      const { isNeeded, present, row } = followed
      followed.isNeeded = true
      if (!isNeeded && !present && row.builtIn) this.#serve(followed, row.builtIn)
    }
  }

  /** Called when the fault of a row has changed. */
  onFault(listener: (row: CompanionRow) => void): void {
    this.#faults.add(listener)
  }

  /** Whether the cluster has its definition. */
  isPresent(resource: ConfiguredKind): boolean {
    return this.#at(resource).present !== undefined
  }

  get(key: string): Companion | undefined {
    const [resource, namespace = '', name = ''] = key.split('/')
    return this.#followed.get(resource as ConfiguredKind)?.store.get(namespace, name)
  }

  *list(): Generator<Companion> {
    for (const { store } of this.#followed.values()) yield* store.list()
  }

  /** Those of one resource that stand beside a workload; of none that nobody looks for. */
  of(resource: ConfiguredKind, workload: WorkloadKey): readonly Companion[] {
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

  #at(resource: ConfiguredKind): Followed {
    const followed = this.#followed.get(resource)
    if (!followed) throw new TypeError(`${resource} is not followed`)
    return followed
  }

  #defined(followed: Followed, definition: CustomDefinition | undefined): void {
    const { row, present } = followed
    const found = definition && isEstablished(definition) ? servedBy(row, definition) : undefined
    const served = typeof found === 'string' ? undefined : found
    if (typeof found === 'string') this.#fault(followed, lacks(row, found))
    else if (!served) this.#fault(followed, row.isConfigured && notServed(row.resource))
    if (served?.base === present?.served.base && served?.kind === present?.served.kind)
      return served ? undefined : this.#settle(followed)
    this.#options.logger.info(
      { resource: row.resource },
      served
        ? 'it is here, and stands beside workloads'
        : 'it is not looked for any more: its definition is gone',
    )
    this.#serve(followed, served)
  }

  /** Follows it there; undefined: no more. */
  #serve(followed: Followed, served: Served | undefined): void {
    const { row, store } = followed
    followed.present?.end.abort()
    store.clear()
    followed.present = served && { served, end: new AbortController() }
    if (!followed.present || !this.#stopped) return this.#settle(followed)
    const signal = AbortSignal.any([followed.present.end.signal, this.#stopped])
    const { resource } = resourceOf(row.resource)
    const collection = { resource, path: `${followed.present.served.base}/${resource}` }
    const sink = store.sink(followed.present.served)
    followed.watch = followed.watch.then(() =>
      this.follow(row.resource, { collection, sink, longestRetry: LONGEST_RETRY }, signal),
    )
  }

  #connected(followed: Followed): void {
    this.#fault(followed, undefined)
    this.#settle(followed)
    const isLeft = [...followed.store.list()].some((each) => keptBy(each) !== undefined)
    if (!followed.isNeeded && !isLeft) this.#serve(followed, undefined)
  }

  #settle(followed: Followed): void {
    followed.isFailing = false
    this.#settled(followed)
  }

  #failed(followed: Followed, error: unknown, times: number): void {
    if (times < FAILING) return
    if (!followed.isNeeded) return this.#serve(followed, undefined)
    followed.isFailing = true
    if (error instanceof ClusterRefusal) this.#fault(followed, `${followed.row.resource}: ${error.message}`)
    this.#settled(followed)
  }

  #fault(followed: Followed, fault: string | undefined): void {
    if (followed.fault === fault) return
    followed.fault = fault
    const { row } = followed
    if (fault !== undefined)
      this.#options.logger.warn(
        { resource: row.resource, error: fault },
        'what stands beside workloads is not followed',
      )
    this.#faults.notify({ resource: row.resource }, row)
  }

  #settled(followed: Followed): void {
    followed.isSettled = true
    if ([...this.#followed.values()].every(({ isSettled }) => isSettled)) this.ready.resolve()
  }
}

/** `called`: its kind, which without a definition nobody knows. */
function mayStandBeside(row: CompanionRow, called: string | undefined, { kind, owner }: Workload): boolean {
  const { link, resource } = row
  if (link.by === 'field') return link.kind === kind
  if (link.by === 'target') return SCALABLE_KINDS.some((each) => each === kind) || !isBuiltIn(kind)
  if (owner?.apiVersion.split('/')[0] !== resourceOf(resource).group) return false
  return owner.kind.toLowerCase() === (called?.toLowerCase() ?? typeOf(resource))
}

function lacks({ resource }: CompanionRow, place: string): string {
  return `${resource} cannot be followed: its definition has no ${namesIn(place)
    .map((name) => `.${name}`)
    .join('')}`
}
