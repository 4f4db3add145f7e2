import type { Reason } from '../deciding/decision.ts'
import { namespaceFault } from '../policy/faults.ts'
import type { Namespace } from '../policy/inheritance.ts'
import type { Reading } from '../workload/reading.ts'
import { keyOf } from '../workload/workload.ts'

/** A setting that cannot be read. */
export interface InvalidSetting {
  /** `namespace/shop`, `policy/dev`, or the workload: `deployments/shop/web`. */
  readonly at: string
  readonly message: string
  /** How many workloads it concerns. */
  readonly workloads: number
}

/** The invalid settings, each once, with how many workloads it concerns. */
export class InvalidSettings {
  readonly #found = new Map<string, InvalidSetting>()

  /** Whether the workload has any. */
  addOf(reading: Reading, { code, text }: Reason): boolean {
    const { workload, enabled, scheduleFault, scheduleFaultAt, effective } = reading
    const own = keyOf(workload)
    if (code === 'invalid_state') this.#add(own, text, 1)
    else if (code === 'enabled_unclear') this.#add(placeOf(effective.sources.enabled, own), text, 1)
    else if (enabled === true && scheduleFault !== undefined)
      this.#add(placeOf(scheduleFaultAt, own), scheduleFault, 1)
    else return false
    return true
  }

  /** For a Namespace whose faults no workload has reported. */
  addNamespace(namespace: Namespace): void {
    const message = namespaceFault(namespace)
    const at = `namespace/${namespace.name}`
    if (message !== undefined && !this.list().some((fault) => fault.at === at)) this.#add(at, message, 0)
  }

  list(): InvalidSetting[] {
    return [...this.#found.values()]
  }

  #add(at: string, message: string, workloads: number): void {
    const key = `${at} ${message}`
    const before = this.#found.get(key)?.workloads ?? 0
    this.#found.set(key, { at, message, workloads: before + workloads })
  }
}

function placeOf(source: string | null, own: string): string {
  return source === null || source === 'workload' || source === 'default' ? own : source
}
