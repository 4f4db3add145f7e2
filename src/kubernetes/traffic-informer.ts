import { isDeepStrictEqual } from 'node:util'
import type { ServiceCopy, SliceCopy } from '../domain/traffic/copies.ts'
import { SERVICE_LABEL, type Waker } from '../domain/traffic/slices.ts'
import type { Runnable } from '../process/runnable.ts'
import type { KubernetesObject } from './api-object.ts'
import type { Collection } from './client.ts'
import { slicesIn } from './endpoint-slices.ts'
import { Informer, type InformerOptions } from './informer.ts'
import { Listeners } from './listeners.ts'
import type { TrafficCopies, TrafficResource } from './ports.ts'
import { FAILING, type Sink } from './reflector.ts'
import { trimService, trimSlice, type ServiceObject, type SliceObject } from './traffic-objects.ts'
import { messageOf } from '../process/errors.ts'
import { VersionedStore } from './versioned-store.ts'

const COLLECTIONS: Readonly<Record<TrafficResource, Collection>> = {
  services: { resource: 'services', path: '/api/v1/services' },
  endpointslices: slicesIn(),
}
export const TRAFFIC_RESOURCES = Object.keys(COLLECTIONS) as readonly TrafficResource[]
const NONE: readonly SliceCopy[] = []

interface Options extends InformerOptions<TrafficResource> {
  /** Their objects are left out, but for the slices of the wakers. */
  readonly excludeNamespaces: ReadonlySet<string>
  /** The Service of the wakers. */
  readonly wakers: { readonly namespace: string; readonly name: string }
}

/**
 * Copies of all Services and EndpointSlices, current while it runs, as the leader does. Its start waits for nothing: who may
 * not watch them can do all else. It can be started again after `stop`, and then knows nothing of before.
 */
export class TrafficInformer implements Runnable, TrafficCopies {
  readonly name = 'traffic'
  readonly #options: Options
  readonly #serviceListeners: Listeners<[ServiceCopy | undefined, ServiceCopy | undefined]>
  readonly #sliceListeners: Listeners<[SliceCopy | undefined, SliceCopy | undefined]>
  readonly #stateListeners: Listeners<[]>
  #term: Term | undefined

  constructor(options: Options) {
    const { observer, logger } = options
    this.#options = options
    this.#serviceListeners = new Listeners(observer, logger)
    this.#sliceListeners = new Listeners(observer, logger)
    this.#stateListeners = new Listeners(observer, logger)
  }

  async start(): Promise<void> {
    const about = (copy: { namespace: string; name: string } | undefined) => ({
      informer: this.name,
      namespace: copy?.namespace,
      name: copy?.name,
    })
    this.#term = new Term(this.#options, {
      service: (before, after) => this.#serviceListeners.notify(about(after ?? before), before, after),
      slice: (before, after) => this.#sliceListeners.notify(about(after ?? before), before, after),
      state: () => this.#stateListeners.notify({ informer: this.name }),
    })
    await this.#term.start()
  }

  async stop(): Promise<void> {
    const term = this.#term
    this.#term = undefined
    await term?.stop()
  }

  get isCurrent(): boolean {
    return this.#term?.isAllCurrent ?? false
  }

  get fault(): string | undefined {
    return this.#term?.fault
  }

  /** Each resource, and whether its watch is connected; none while it does not run. */
  get watches(): { kind: TrafficResource; connected: boolean }[] {
    const term = this.#term
    return term ? TRAFFIC_RESOURCES.map((kind) => ({ kind, connected: term.isConnected(kind) })) : []
  }

  get wakers(): readonly Waker[] {
    return this.#term?.wakers ?? []
  }

  service(namespace: string, name: string): ServiceCopy | undefined {
    return this.#term?.services.get({ namespace, name })
  }

  services(namespace?: string): Iterable<ServiceCopy> {
    return this.#term?.services.list(namespace) ?? []
  }

  slicesOf(namespace: string, service: string): readonly SliceCopy[] {
    return this.#term?.slicesOf(namespace, service) ?? NONE
  }

  slices(): Iterable<SliceCopy> {
    return this.#term?.slices.list() ?? NONE
  }

  /** How many slices of ours stand. */
  get standing(): number {
    return Array.from(this.slices()).filter(({ own }) => own).length
  }

  /** Stores the answer to a write of ours if it is newer than our copy, and calls the listeners. */
  applied(slice: SliceObject): void {
    this.#term?.applied(slice)
  }

  onService(listener: (before: ServiceCopy | undefined, after: ServiceCopy | undefined) => void): void {
    this.#serviceListeners.add(listener)
  }

  onSlice(listener: (before: SliceCopy | undefined, after: SliceCopy | undefined) => void): void {
    this.#sliceListeners.add(listener)
  }

  /** Called when `isCurrent` or `fault` may have changed. */
  onState(listener: () => void): void {
    this.#stateListeners.add(listener)
  }
}

interface Told {
  readonly service: (before: ServiceCopy | undefined, after: ServiceCopy | undefined) => void
  readonly slice: (before: SliceCopy | undefined, after: SliceCopy | undefined) => void
  readonly state: () => void
}

/** The copies and watches from a start to a stop. */
class Term extends Informer<TrafficResource, never> {
  readonly name = 'traffic'
  readonly services: VersionedStore<ServiceCopy>
  readonly slices: VersionedStore<SliceCopy>
  readonly #options: Options
  readonly #told: Told
  /** By namespace and Service. */
  readonly #ofService = new Map<string, readonly SliceCopy[]>()
  readonly #faults = new Map<TrafficResource, string>()

  constructor(options: Options, told: Told) {
    super(options)
    this.#options = options
    this.#told = told
    this.services = new VersionedStore<ServiceCopy>({ notify: told.service, merge: unlessSame })
    this.slices = new VersionedStore<SliceCopy>({
      notify: (before, after) => this.#changed(before, after),
      // The version of ours has to be the newest: writes name it.
      merge: (before, after) => (after.own ? after : unlessSame(before, after)),
    })
    this.onConnection((connected, resource) => {
      if (connected) this.#faults.delete(resource)
      told.state()
    })
    this.onFailure((resource, error, times) => this.#failed(resource, error, times))
  }

  protected begin(): void {
    const { excludeNamespaces } = this.#options
    const services = this.services.sink<ServiceObject>((object) =>
      excludeNamespaces.has(object.metadata.namespace ?? '') ? undefined : trimService(object),
    )
    const slices = this.slices.sink<SliceObject>((object) => this.#trimSlice(object))
    this.#follow('services', services)
    this.#follow('endpointslices', slices)
    this.ready.resolve()
  }

  get isAllCurrent(): boolean {
    return TRAFFIC_RESOURCES.every((each) => this.isCurrent(each))
  }

  get fault(): string | undefined {
    return [...this.#faults.values()][0]
  }

  get wakers(): readonly Waker[] {
    const { namespace, name } = this.#options.wakers
    return this.slicesOf(namespace, name).flatMap(({ wakers }) => wakers)
  }

  isConnected(resource: TrafficResource): boolean {
    return this.isCurrent(resource)
  }

  slicesOf(namespace: string, service: string): readonly SliceCopy[] {
    return this.#ofService.get(`${namespace}/${service}`) ?? NONE
  }

  applied(slice: SliceObject): void {
    const copy = this.#trimSlice(slice)
    if (copy) this.slices.applied(copy)
  }

  #follow<Watched extends KubernetesObject>(resource: TrafficResource, sink: Sink<Watched>): void {
    void this.follow(resource, { collection: COLLECTIONS[resource], sink })
  }

  #trimSlice(slice: SliceObject): SliceCopy | undefined {
    const { excludeNamespaces, wakers } = this.#options
    const { namespace = '', labels } = slice.metadata
    const isOfWakers = namespace === wakers.namespace && labels?.[SERVICE_LABEL] === wakers.name
    const copy = trimSlice(slice, () => isOfWakers)
    const isLeftAlone = excludeNamespaces.has(namespace) && (!isOfWakers || copy?.own !== undefined)
    return isLeftAlone ? undefined : copy
  }

  #changed(before: SliceCopy | undefined, after: SliceCopy | undefined): void {
    if (before) this.#index(before, undefined)
    if (after) this.#index(after, after)
    this.#told.slice(before, after)
  }

  #index({ namespace, service, name }: SliceCopy, after: SliceCopy | undefined): void {
    const key = `${namespace}/${service}`
    const others = (this.#ofService.get(key) ?? NONE).filter((each) => each.name !== name)
    if (after) this.#ofService.set(key, [...others, after])
    else if (others.length > 0) this.#ofService.set(key, others)
    else this.#ofService.delete(key)
  }

  #failed(resource: TrafficResource, error: unknown, times: number): void {
    if (times < FAILING) return
    const fault = `${resource} cannot be watched: ${messageOf(error)}`
    if (this.#faults.get(resource) === fault) return
    this.#faults.set(resource, fault)
    this.#options.logger.warn({ resource, error: fault }, 'traffic wakes nothing: it is tried again')
    this.#told.state()
  }
}

/** Controllers write annotations and versions that nobody reads. */
function unlessSame<Copy extends { readonly resourceVersion: string }>(before: Copy, after: Copy): Copy {
  const { resourceVersion } = before
  return isDeepStrictEqual(before, { ...after, resourceVersion }) ? before : after
}
