import type { Instant } from '../../process/clock.ts'
import { isLate } from '../deciding/late.ts'
import { situationOf } from '../deciding/situation.ts'
import { nextTransition, type Transition } from '../deciding/foresight.ts'
import type { ValueOf } from '../json-schema.ts'
import { iso, policyRecord, type PolicyRecord } from './record.ts'
import { readWorkload } from '../workload/reading.ts'
import type { Rules } from '../deciding/rules.ts'
import type { NAMESPACE } from './shape.ts'
import { settingsOf } from '../workload/settings.ts'
import { Unreadable } from '../workload/state-codec.ts'
import { WORKLOAD_STATES, workloadState, type WorkloadState } from './workload-state.ts'
import type { Workload } from '../workload/workload.ts'
import { SAVED_OVER } from './replica-time.ts'
import {
  NOT_VALUED,
  NOTHING_SAVED,
  plus,
  savedRecord,
  savedSince,
  type Accounting,
  type Saved,
} from './saved.ts'

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
  readonly #accounting: Accounting
  /** By team. */
  readonly #teams = new Map<string, Saved>()
  #saved = NOTHING_SAVED
  #workloads = 0
  #late = 0
  #next: (Pick<Transition, 'at' | 'type'> & { workloads: number }) | undefined

  constructor(name: string, now: Instant, rules: Rules, accounting: Accounting = NOT_VALUED) {
    this.#name = name
    this.#now = now
    this.#rules = rules
    this.#accounting = accounting
  }

  add(workload: Workload): void {
    const read = readWorkload(workload, this.#rules)
    const counts = (this.#counts[workload.kind] ??= noneOfAll())
    counts[workloadState(read, this.#now)] += 1
    this.#workloads += 1
    if (read instanceof Unreadable) return
    const { reading, now, isHeld } = situationOf(read, this.#now, this.#rules)
    if ((reading.enabled === true || isHeld) && isLate(reading)) this.#late += 1
    this.#saves(workload, savedSince(reading, this.#now - SAVED_OVER, now))
    if (reading.enabled === true) this.#comes(nextTransition(reading, now, this.#rules))
  }

  record(): NamespaceRecord {
    const { prices } = this.#accounting
    const teams = [...this.#teams].map(([team, saved]) => [team, savedRecord(saved, prices)] as const)
    return {
      name: this.#name,
      workloads: this.#workloads,
      counts: this.#counts,
      late: this.#late,
      next_transition: this.#next ? { ...this.#next, at: iso(this.#next.at) } : null,
      saved: { since: iso(this.#now - SAVED_OVER), ...savedRecord(this.#saved, prices) },
      saved_by_team: Object.fromEntries(teams),
      policy: this.#policy(),
    }
  }

  #saves(workload: Workload, saved: Saved): void {
    this.#saved = plus(this.#saved, saved)
    const team = this.#accounting.teamOf?.(workload)
    if (team !== undefined) this.#teams.set(team, plus(this.#teams.get(team) ?? NOTHING_SAVED, saved))
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
