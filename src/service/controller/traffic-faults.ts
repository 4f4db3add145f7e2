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

  constructor(ports: Ports, excluded: ReadonlySet<string>) {
    this.#ports = ports
    this.#excluded = excluded
  }

  /** Also where only the workloads of the Service have changed. */
  ofService(key: string, { optedIn, fault = this.#ofWrites.get(key) }: Omit<SlicePlan, 'changes'>): void {
    if (fault === undefined) this.#ofServices.delete(key)
    else this.#ofServices.set(key, fault)
    const { faults } = this.#ports.slicing
    if (this.#ofServices.size === 0 && faults.size === 0) return
    for (const each of optedIn) this.#look(each)
    for (const told of faults.keys()) {
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
    const { faults, due } = this.#ports.slicing
    if (faults.delete(keyOf(workload))) due(workload)
  }

  clear(): void {
    const { faults, due } = this.#ports.slicing
    const told = [...faults.keys()]
    this.#ofAll = undefined
    for (const each of [this.#ofServices, this.#ofWrites, faults]) each.clear()
    for (const key of told) due(parseKey(key))
  }

  #look(workload: Workload): void {
    const key = keyOf(workload)
    const fault = this.#faultOf(workload)
    const { recorder, logger, slicing } = this.#ports
    if (fault === slicing.faults.get(key)) return
    // First: the workload is decided again meanwhile, and that leads here.
    if (fault === undefined) slicing.faults.delete(key)
    else slicing.faults.set(key, fault)
    slicing.due(workload)
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
