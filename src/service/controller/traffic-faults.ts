import { selects } from '../../domain/traffic/service.ts'
import { keyOf, parseKey, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { inTurns } from '../../process/turns.ts'
import type { ControllerPorts, SlicingPorts } from './ports.ts'
import { keyOfService, podLabelsOf, trafficModeOf, type SlicePlan } from './slice-planner.ts'

type Ports = Pick<ControllerPorts, 'evaluations' | 'workloads' | 'recorder' | 'logger'> & {
  readonly slicing: SlicingPorts
}

/** Tells of each workload that opted in why traffic cannot wake it, once per change. */
export class TrafficFaults {
  readonly #ports: Ports
  readonly #excluded: ReadonlySet<string>
  /** By Service: what is wrong with it, or with the last write of its slices. */
  readonly #ofServices = new Map<string, string>()
  readonly #ofWrites = new Map<string, string>()
  #ofAll: string | undefined
  /** By workload. */
  readonly #told = new Map<string, string>()

  constructor(ports: Ports, excluded: ReadonlySet<string>) {
    this.#ports = ports
    this.#excluded = excluded
  }

  /** Also where only the workloads of the Service have changed. */
  ofService(key: string, { optedIn, fault = this.#ofWrites.get(key) }: Omit<SlicePlan, 'changes'>): void {
    if (fault === undefined) this.#ofServices.delete(key)
    else this.#ofServices.set(key, fault)
    if (this.#ofServices.size === 0 && this.#told.size === 0) return
    for (const each of optedIn) this.#look(each)
    for (const told of this.#told.keys()) {
      const workload = this.#ports.workloads.get(parseKey(told))
      if (workload && key.startsWith(`${workload.namespace}/`)) this.#look(workload)
    }
  }

  /** A write of a Service's slices was refused; undefined: one has succeeded. */
  ofWrite(key: string, fault: string | undefined): void {
    if (fault === undefined) this.#ofWrites.delete(key)
    else this.#ofWrites.set(key, fault)
  }

  /** Nothing can be watched; undefined: it can. */
  async ofAll(fault: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.#ofAll === fault) return
    this.#ofAll = fault
    await inTurns(this.#ports.workloads.list(), (each) => this.#look(each), signal)
  }

  forget(workload: WorkloadKey): void {
    if (this.#told.delete(keyOf(workload))) this.#ports.slicing.tell(workload, undefined)
  }

  clear(): void {
    const told = [...this.#told.keys()]
    this.#ofAll = undefined
    for (const each of [this.#ofServices, this.#ofWrites, this.#told]) each.clear()
    for (const key of told) this.#ports.slicing.tell(parseKey(key), undefined)
  }

  #look(workload: Workload): void {
    const key = keyOf(workload)
    const fault = this.#faultOf(workload)
    if (fault === this.#told.get(key)) return
    const { recorder, logger, slicing } = this.#ports
    // First: the workload is decided again meanwhile, and that leads here.
    if (fault === undefined) this.#told.delete(key)
    else this.#told.set(key, fault)
    slicing.tell(workload, fault)
    if (fault === undefined) return
    const message = `Traffic cannot wake it: ${fault}`
    logger.warn({ workload: key }, message)
    recorder.record(workload, 'Warning', 'NoWakeOnTraffic', message)
  }

  /** A workload that another Service leads to can be woken by that. */
  #faultOf(workload: Workload): string | undefined {
    const { evaluations, workloads, slicing } = this.#ports
    const labels = this.#excluded.has(workload.namespace) ? undefined : podLabelsOf(workload, workloads)
    if (!labels || trafficModeOf(workload, evaluations) === 'off') return undefined
    if (this.#ofAll !== undefined) return this.#ofAll
    const faults = Array.from(slicing.copies.services(workload.namespace))
      .filter((service) => selects(service, labels))
      .map((service) => this.#ofServices.get(keyOfService(service)))
    return faults.includes(undefined) || faults.length === 0 ? undefined : [...new Set(faults)].join('; ')
  }
}
