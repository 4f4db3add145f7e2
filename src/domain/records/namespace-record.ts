import type { Instant } from '../../service/process/clock.ts'
import { situationOf } from '../deciding/situation.ts'
import { nextTransition, type Transition } from './plan.ts'
import type { ValueOf } from '../json-schema.ts'
import { iso, policyRecord, type PolicyRecord } from './record.ts'
import { readWorkload, type Reading } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import type { NAMESPACE } from './shape.ts'
import { settingsOf } from '../workload/settings.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { WORKLOAD_STATES, workloadState, type WorkloadState } from './workload-state.ts'
import { isRunning, type Workload } from '../workload/workload.ts'
import { keptCount } from '../workload/counts.ts'

/** Milliseconds: savings are summed over a week. */
export const SAVED_OVER = 7 * 24 * 3_600_000

type StateCounts = Record<WorkloadState, number>

/** A namespace as the API shows it; every field always present. Its policy: what a Deployment without labels and settings of its own inherits. */
export type NamespaceRecord = ValueOf<typeof NAMESPACE>

/** Sums up the workloads of one namespace that the reader may see, one after the other. */
export class NamespaceSummary {
  readonly #name: string
  readonly #now: Instant
  readonly #rules: Rules
  /** By kind. */
  readonly #counts: Record<string, StateCounts> = {}
  readonly #saved = { replicas: 0, cores: 0, bytes: 0 }
  #workloads = 0
  #next: (Pick<Transition, 'at' | 'type'> & { workloads: number }) | undefined

  constructor(name: string, now: Instant, rules: Rules) {
    this.#name = name
    this.#now = now
    this.#rules = rules
  }

  add(workload: Workload): void {
    const read = readWorkload(workload, this.#rules)
    const counts = (this.#counts[workload.kind] ??= noneOfAll())
    counts[workloadState(read, this.#now)] += 1
    this.#workloads += 1
    if (read instanceof Unreadable) return
    const { reading, now } = situationOf(read, this.#now, this.#rules)
    const seconds = replicaTimeSaved(reading, this.#now - SAVED_OVER, now) / 1000
    this.#saved.replicas += seconds
    this.#saved.cores += seconds * workload.requests.cpu
    this.#saved.bytes += seconds * workload.requests.memory
    if (reading.enabled === true) this.#comes(nextTransition(reading, now, this.#rules))
  }

  record(): NamespaceRecord {
    const { replicas, cores, bytes } = this.#saved
    return {
      name: this.#name,
      workloads: this.#workloads,
      counts: this.#counts,
      next_transition: this.#next ? { ...this.#next, at: iso(this.#next.at) } : null,
      saved: {
        since: iso(this.#now - SAVED_OVER),
        replica_seconds: Math.round(replicas),
        cpu_core_seconds: Math.round(cores),
        memory_byte_seconds: Math.round(bytes),
      },
      policy: this.#policy(),
    }
  }

  #policy(): PolicyRecord {
    const heir = { kind: 'deployments', namespace: this.#name, owner: undefined, labels: undefined } as const
    return policyRecord(settingsOf({ ...heir, annotations: {} }, this.#rules))
  }

  /** At one instant some may fall asleep while others wake: the first type that was found is counted. */
  #comes(coming: Transition | undefined): void {
    if (!coming) return
    const { at, type } = coming
    if (!this.#next || at < this.#next.at) this.#next = { at, type, workloads: 1 }
    else if (at === this.#next.at && type === this.#next.type) this.#next.workloads += 1
  }
}

/** No workload in any state. */
export function noneOfAll(): StateCounts {
  return Object.fromEntries(WORKLOAD_STATES.map((state) => [state, 0])) as StateCounts
}

/**
 * The replicas that sleep saved since `from`, multiplied by milliseconds: of the present sleep, and of those whose
 * snooze and wake are still in the history. All replicas agree, even after a restart.
 */
export function replicaTimeSaved(reading: Reading, from: Instant, now: Instant): number {
  const { state, workload } = reading
  const time = (since: Instant, until: Instant) => Math.max(0, Math.min(until, now) - Math.max(since, from))
  let saved = 0
  let snoozedAt: Instant | undefined
  for (const { type, at, replicas } of state.history.toReversed()) {
    if (type === 'wake' && snoozedAt !== undefined) saved += replicas * time(snoozedAt, at)
    snoozedAt = type === 'snooze' ? at : undefined
  }
  const sleeps = state.asleep && !isRunning(workload)
  return sleeps && state.snoozed ? saved + keptCount(reading) * time(state.snoozed.at, now) : saved
}
