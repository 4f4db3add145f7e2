import type { ServiceCopy, SliceCopy } from '../../domain/traffic/copies.ts'
import { selects } from '../../domain/traffic/service.ts'
import type { OwnerReference } from '../../domain/traffic/slices.ts'
import { isRelevant } from '../../domain/deciding/relevance.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { Stopping } from '../../kubernetes/ports.ts'
import { systemMonotonic, type Monotonic } from '../../process/clock.ts'
import { Companions, type Due } from '../../process/companions.ts'
import { messageOf, Refusal } from '../../process/errors.ts'
import { inTurns } from '../../process/turns.ts'
import { backoff } from './failures.ts'
import type { ControllerPorts, ControllerSettings, SliceAction, SlicingPorts } from './ports.ts'
import { keyOfService, podLabelsOf, SlicePlanner, type SlicePlan } from './slice-planner.ts'
import { TrafficFaults } from './traffic-faults.ts'
import { WriteBudget } from './write-budget.ts'

/** So often within a minute a slice that others edit or delete is restored at once. */
const RESTORED_AT_ONCE = 5
/** So often in a row a refused write is soon tried again. */
const SOON = 3
/** Milliseconds after which ports that were freed are anybody's. */
const PORTS_REST = 120_000

type Ports = ControllerPorts & { readonly slicing: SlicingPorts }

/**
 * Keeps the EndpointSlices that lead the traffic of sleeping Services to wakers. What should stand follows from copies
 * alone, so a new leader takes over those that stand without a write.
 */
export class Slices {
  readonly #ports: Ports
  readonly #faults: TrafficFaults
  readonly #budget = new WriteBudget(RESTORED_AT_ONCE)
  readonly #monotonic: Monotonic
  readonly #loop: Companions
  #stopping: Required<Stopping> = { signal: AbortSignal.abort(), cut: AbortSignal.abort() }
  /** undefined: not asked for yet, or not answered. */
  #owner: { readonly found: OwnerReference | undefined } | undefined
  /** undefined: before all is known for the first time. */
  #planner: SlicePlanner | undefined
  /** Slices that were created or deleted, of which the watch has not told. */
  readonly #awaited = new Set<string>()
  /** By Service: the hash of what was written last. A write of the same restores it. */
  readonly #written = new Map<string, number>()
  #evaluations: Promise<unknown> = Promise.resolve()

  constructor(ports: Ports, { concurrency, excludeNamespaces }: ControllerSettings) {
    const { monotonic = systemMonotonic, later } = ports
    this.#ports = ports
    this.#faults = new TrafficFaults(ports, excludeNamespaces)
    this.#monotonic = monotonic
    this.#loop = new Companions({
      name: 'slices',
      due: (key) => this.#due(key),
      reconcile: (key) => this.#write(key),
      failed: (...failure) => this.#failed(...failure),
      concurrency,
      monotonic,
      later,
    })
  }

  /** `stopping` ends jobs in work. */
  open(stopping: Required<Stopping>): void {
    this.#stopping = stopping
    void this.#loop.start()
    const found = (owner: OwnerReference | undefined) => {
      this.#owner = { found: owner }
      this.stateChanged()
    }
    // Rejected only when it was stopped.
    this.#ports.slicing.owner(stopping.signal).then(found, () => {})
  }

  /** Drops due tasks, and resolves when the jobs in work have ended. */
  async close(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#evaluations])
    this.#owner = undefined
    this.#planner = undefined
    this.#budget.clear()
    this.#awaited.clear()
    this.#written.clear()
    this.#faults.clear()
  }

  /** Call it with (copy, copy) if only an input of its settings has changed. */
  workloadChanged(before: Workload | undefined, after: Workload | undefined): void {
    if (before && after && before !== after && isSameToTraffic(before, after)) return
    const { copies } = this.#ports.slicing
    if (!after && before) this.#faults.forget(before)
    for (const each of new Set([before, after])) {
      const labels = each && podLabelsOf(each, this.#ports.workloads)
      if (!labels) continue
      for (const service of copies.services(each.namespace))
        if (selects(service, labels)) this.#loop.changed(keyOfService(service))
    }
  }

  serviceChanged(service: ServiceCopy): void {
    this.#loop.changed(keyOfService(service))
  }

  sliceChanged(before: SliceCopy | undefined, after: SliceCopy | undefined): void {
    for (const slice of new Set([before, after])) {
      if (!slice) continue
      this.#awaited.delete(nameOf(slice))
      this.#loop.changed(keyOfService({ ...slice, name: slice.service }))
    }
    const isOfWakers = [before, after].some((slice) => slice && slice.wakers.length > 0)
    if (isOfWakers && JSON.stringify(before?.wakers) !== JSON.stringify(after?.wakers)) this.#evaluateAll()
  }

  /** A watch is connected again, or is not any more. */
  stateChanged(): void {
    const { copies, endpoints, range } = this.#ports.slicing
    this.#evaluates(this.#faults.ofAll(copies.fault, this.#stopping.signal))
    if (!this.#owner || !copies.isCurrent) return
    const { workloads, evaluations } = this.#ports
    const style = { endpoints, ...(this.#owner.found && { owner: this.#owner.found }) }
    const monotonic = this.#monotonic
    this.#planner ??= new SlicePlanner({ copies, workloads, evaluations, monotonic, range, style })
    // Events that they waited for may be lost.
    this.#awaited.clear()
    this.#evaluateAll()
  }

  #evaluateAll(): void {
    const { copies } = this.#ports.slicing
    const own = Array.from(copies.slices()).filter((slice) => slice.own)
    const keys = new Set([
      // First those that may lead to a waker that has gone.
      ...own.map((slice) => keyOfService({ ...slice, name: slice.service })),
      ...Array.from(copies.services(), keyOfService),
    ])
    this.#evaluates(inTurns(keys, (key) => this.#loop.changed(key), this.#stopping.signal))
  }

  /** `close` waits for it. */
  #evaluates(run: Promise<void>): void {
    this.#evaluations = Promise.all([this.#evaluations, run])
  }

  /** undefined: not everything that it depends on is known. */
  #plan(key: string): (SlicePlan & { readonly change: string | undefined }) | undefined {
    if (!this.#ports.slicing.copies.isCurrent) return undefined
    const plan = this.#planner?.planOf(key)
    if (!plan) return undefined
    const { create, replace, remove } = plan.changes
    const changes = {
      create: create.filter(({ metadata }) => !this.#awaited.has(nameOf(metadata))),
      replace,
      remove: remove.filter((slice) => !this.#awaited.has(nameOf(slice))),
    }
    const texts = [
      ...changes.create.map(({ metadata }) => `+${metadata.name}`),
      ...replace.map(({ standing }) => `~${standing.name} ${standing.resourceVersion}`),
      ...changes.remove.map(({ name, resourceVersion }) => `-${name} ${resourceVersion}`),
    ]
    const change = texts.length === 0 ? undefined : `${texts.join()} ${plan.hash}`
    if (change === undefined) this.#faults.ofWrite(key, undefined)
    this.#faults.ofService(key, plan)
    return { ...plan, changes, change }
  }

  #due(key: string): Due | undefined {
    const plan = this.#plan(key)
    if (plan?.change === undefined) return undefined
    return { change: plan.change, isUrgent: plan.changes.remove.length > 0 }
  }

  /** Resolves with the milliseconds that the budget makes it wait; undefined: it is as it should be. */
  async #write(key: string): Promise<number | undefined> {
    const plan = this.#plan(key)
    if (plan?.change === undefined) return undefined
    const isRestored = this.#written.get(key) === plan.hash
    const wait = isRestored ? this.#withheld(key, plan) : undefined
    if (wait !== undefined) return wait
    await this.#carryOut(plan)
    if (isRestored) this.#budget.wrote(key, undefined, this.#monotonic())
    if (plan.changes.remove.length > 0) this.#portsFreed()
    this.#written.set(key, plan.hash)
    return undefined
  }

  /** Those that lead to wakers come first. */
  async #carryOut({ changes: { create, replace, remove } }: SlicePlan): Promise<void> {
    const { writer } = this.#ports.slicing
    for (const slice of create)
      await this.#awaiting('create', slice.metadata, () => writer.create(slice, this.#stopping))
    for (const { standing, slice } of replace)
      await this.#counted('replace', () => writer.replace(standing, slice, this.#stopping))
    for (const standing of remove)
      await this.#awaiting('delete', standing, () => writer.remove(standing, this.#stopping))
  }

  /** The watch tells of it later: until then it is as good as done. */
  async #awaiting(action: SliceAction, slice: Named, write: () => Promise<void>): Promise<void> {
    const name = nameOf(slice)
    this.#awaited.add(name)
    try {
      await this.#counted(action, write)
    } catch (error) {
      this.#awaited.delete(name)
      throw error
    }
  }

  async #counted(action: SliceAction, write: () => Promise<void>): Promise<void> {
    const { observer } = this.#ports
    try {
      await write()
      observer.sliceWritten(action, 'succeeded')
    } catch (error) {
      observer.sliceWritten(action, 'failed')
      throw error
    }
  }

  #withheld(key: string, { optedIn }: SlicePlan): number | undefined {
    const now = this.#monotonic()
    const delay = this.#budget.delayOf(key, { priority: 'snooze', dueAt: undefined }, now)
    if (!delay) return undefined
    const wait = delay.until - now
    if (delay.news === 'episode') {
      const { logger, recorder } = this.#ports
      const message =
        `the EndpointSlices of Service ${key} were restored ${RESTORED_AT_ONCE} times within a minute, because others ` +
        `edit or delete them: the next time waits ${Math.ceil(wait / 1000)} s, and then longer. ` +
        '`kubectl get endpointslices --show-managed-fields` tells who writes them'
      logger.warn({ service: key }, message)
      for (const each of optedIn) recorder.record(each, 'Warning', 'OtherWriter', message)
    }
    return wait
  }

  /** A fault of our own over one Service is its alone. */
  #failed(error: unknown, key: string, times: number): number {
    const { logger, observer } = this.#ports
    const isOurs = !(error instanceof Refusal)
    if (isOurs) {
      logger.error({ service: key, err: error }, 'the controller failed over the EndpointSlices of a Service')
      observer.decidingFailed()
    }
    // Ours may be there already, and the policy may not know a new waker yet: the API server's copies lag a little.
    const isRefused = isOurs || (error.code === 'CLUSTER_REJECTED' && times > SOON)
    if (isRefused) {
      const isForeign = !isOurs && error.details['reason'] === 'AlreadyExists'
      const why = isForeign ? 'an EndpointSlice of others has its name' : messageOf(error)
      this.#faults.ofWrite(key, `EndpointSlices of Service ${key} cannot be written: ${why}`)
      this.#plan(key)
    }
    return backoff(isRefused ? 'refused' : 'unavailable', times, Math.random())
  }

  #portsFreed(): void {
    for (const key of this.#planner?.starved ?? []) this.#loop.changed(key, PORTS_REST)
  }
}

interface Named {
  readonly namespace: string
  readonly name: string
}

function nameOf({ namespace, name }: Named): string {
  return `${namespace}/${name}`
}

function isSameToTraffic(before: Workload, after: Workload): boolean {
  return before.uid === after.uid && before.podLabels === after.podLabels && !isRelevant(before, after)
}
