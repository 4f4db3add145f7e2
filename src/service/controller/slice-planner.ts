import { randomBytes } from 'node:crypto'
import type { ServiceCopy, SliceCopy } from '../../domain/traffic/copies.ts'
import { hashOf } from '../../domain/traffic/hash.ts'
import { PortLedger, type PortRange } from '../../domain/traffic/port-ledger.ts'
import { noTrafficOf, selects } from '../../domain/traffic/service.ts'
import { sliceChanges, type SliceChanges } from '../../domain/traffic/slice-changes.ts'
import {
  plannedSlices,
  tagOf,
  type Selected,
  type Slice,
  type SliceStyle,
} from '../../domain/traffic/slices.ts'
import type { TrafficMode } from '../../domain/traffic-mode.ts'
import { isAtRest } from '../../domain/workload/reading.ts'
import { Unreadable } from '../../domain/workload/state-codec.ts'
import { wantsPods, type Workload } from '../../domain/workload/workload.ts'
import type { TrafficCopies, Workloads } from '../../kubernetes/ports.ts'
import type { Monotonic } from '../../process/clock.ts'
import type { Evaluations } from '../evaluating/ports.ts'

interface Options {
  readonly copies: TrafficCopies
  readonly workloads: Workloads
  readonly evaluations: Pick<Evaluations, 'reading'>
  readonly monotonic: Monotonic
  readonly range: PortRange
  readonly style: SliceStyle
}

/** The slices that should be there for a Service. */
export interface SlicePlan {
  readonly changes: SliceChanges
  /** The same for the same slices. */
  readonly hash: number
  /** The workloads of the Service that opted in. */
  readonly optedIn: readonly Workload[]
  /** Why it can have none; undefined: nothing is known to be wrong. */
  readonly fault: string | undefined
}

const USED_UP = 'all ports of waker.ports are taken: widen the range'

/** Plans the slices of Services from the copies that are there, and keeps account of the ports of wakers. */
export class SlicePlanner {
  readonly #options: Options
  readonly #ledger: PortLedger
  /** The uid under which a Service, by `namespace/name`, holds ports. */
  readonly #holders = new Map<string, string>()
  /** The tag of the slices that stand, or are about to, by `namespace/name` of their Service. */
  readonly #tags = new Map<string, string>()
  /** Services that wait for ports. */
  readonly #starved = new Set<string>()

  /** The copies must be current: what stands is entered first. */
  constructor(options: Options) {
    const { copies, range, monotonic } = options
    this.#options = options
    this.#ledger = new PortLedger(range)
    for (const service of copies.services()) {
      const standing = portsOf(copies.slicesOf(service.namespace, service.name))
      if (standing.size === 0) continue
      this.#ledger.claim(service.uid, [...standing.keys()], standing, monotonic())
      this.#holders.set(keyOfService(service), service.uid)
    }
  }

  /** Services that wait until a port is free. */
  get starved(): Iterable<string> {
    return this.#starved
  }

  /** undefined: a copy that it depends on may be out of date. */
  planOf(key: string): SlicePlan | undefined {
    const { copies, workloads } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const service = copies.service(namespace, name)
    const slices = copies.slicesOf(namespace, name)
    const standing = slices.filter(({ own }) => own)
    const selected = service ? selectedBy(service, workloads) : []
    if (!selected.every(({ kind }) => workloads.isConnected(kind))) return undefined
    const reads = selected.map((each) => this.#read(each))
    const { planned, fault } = this.#planned(key, service, reads, slices)
    const optedIn = selected.filter((_, at) => reads[at]?.mode !== 'off')
    if (planned.length === 0) this.#tags.delete(key)
    // Wakers that come back go on.
    if (planned.length === 0 && standing.length === 0 && copies.wakers.length > 0) this.#free(key)
    return {
      changes: sliceChanges(standing, planned),
      hash: hashOf(JSON.stringify(planned)),
      optedIn,
      fault: optedIn.length > 0 ? fault : undefined,
    }
  }

  #planned(
    key: string,
    service: ServiceCopy | undefined,
    selected: readonly Selected[],
    slices: readonly SliceCopy[],
  ): { planned: readonly Slice[]; fault?: string | undefined } {
    this.#starved.delete(key)
    if (!service) return { planned: [] }
    const { copies, monotonic, style } = this.#options
    const traffic = {
      service,
      selected,
      readyPods: slices.flatMap(({ readyPods }) => readyPods),
      wakers: copies.wakers,
      // A slice that somebody deleted is restored.
      stands: slices.some(({ own }) => own) || this.#holders.get(key) === service.uid,
    }
    const claim = (names: readonly string[]) => {
      if (this.#holders.get(key) !== service.uid) this.#free(key)
      const ports = this.#ledger.claim(service.uid, names, portsOf(slices), monotonic())
      if (!ports) {
        this.#starved.add(key)
        return undefined
      }
      this.#holders.set(key, service.uid)
      return { ports, tag: this.#tag(key, slices) }
    }
    const planned = plannedSlices(traffic, claim, style)
    return planned ? { planned, fault: noTrafficOf(service) } : { planned: [], fault: USED_UP }
  }

  #read(workload: Workload): Selected {
    const { kind, name } = workload
    const { evaluations } = this.#options
    const reading = evaluations.reading(workload)
    const wants = wantsPods(workload)
    return {
      kind,
      name,
      // A sleeper with pods of its own serves its callers itself.
      isAsleep: !(reading instanceof Unreadable) && isAtRest(reading) && !wants,
      wantsPods: wants,
      mode: trafficModeOf(workload, evaluations),
    }
  }

  #tag(key: string, slices: readonly SliceCopy[]): string {
    const standing = slices.find(({ own }) => own)
    const tag = this.#tags.get(key) ?? (standing && tagOf(standing.name)) ?? randomBytes(4).toString('hex')
    this.#tags.set(key, tag)
    return tag
  }

  #free(key: string): void {
    const uid = this.#holders.get(key)
    if (uid === undefined) return
    this.#holders.delete(key)
    this.#ledger.free(uid, this.#options.monotonic())
  }
}

export function keyOfService({ namespace, name }: Pick<ServiceCopy, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/** How traffic wakes it, if it sleeps. */
export function trafficModeOf(
  workload: Workload,
  evaluations: Pick<Evaluations, 'reading'>,
): TrafficMode | 'off' {
  const reading = evaluations.reading(workload)
  if (reading instanceof Unreadable || reading.enabled !== true || !reading.isSettled) return 'off'
  return reading.wakeOnTraffic
}

/** The labels of its pods. A Rollout may leave their template with a Deployment. */
export function podLabelsOf(workload: Workload, workloads: Workloads): Workload['podLabels'] {
  const { namespace, configured } = workload
  if (configured?.scales === undefined) return workload.podLabels
  return workloads.get({ kind: 'deployments', namespace, name: configured.scales })?.podLabels
}

function selectedBy(service: ServiceCopy, workloads: Workloads): Workload[] {
  return [...workloads.list(service.namespace)].filter((workload) => {
    const labels = workload.deleting ? undefined : podLabelsOf(workload, workloads)
    return labels !== undefined && selects(service, labels)
  })
}

/** The numbers of ports of the slices of ours among them. */
function portsOf(slices: readonly SliceCopy[]): ReadonlyMap<string, number> {
  return new Map(
    slices.flatMap(({ own }) =>
      (own?.ports ?? []).flatMap(({ name = '', port }) =>
        port === undefined ? [] : [[name, port] as const],
      ),
    ),
  )
}
