import type { Instant } from '../../process/clock.ts'
import { formOf } from '../sleeping/forms.ts'
import type { Namespace } from '../policy/inheritance.ts'
import { keptCount } from '../workload/counts.ts'
import { isAtRest, type Reading } from '../workload/reading.ts'
import { currentReplicas, type Workload } from '../workload/workload.ts'
import { replicaTime } from './replica-time.ts'

const HOUR_S = 3600
const GIB = 2 ** 30
/** An amount of money has six decimals, so that sums of small amounts are right. */
const DECIMALS = 1e6

/** Replicas that sleep keeps from running, and what their pods request, each multiplied by seconds. */
export interface Saved {
  readonly replicaSeconds: number
  readonly coreSeconds: number
  readonly byteSeconds: number
}

/** The prices of a core and of a GiB of memory for an hour. */
export interface Prices {
  /** Three letters (ISO 4217), such as EUR. */
  readonly currency: string
  readonly cpu: number
  readonly memory: number
}

/** How savings are valued, and whose they are. */
export interface Accounting {
  /** null: none are configured, so money is shown nowhere. */
  readonly prices: Prices | null
  /** undefined: no label names teams. */
  readonly teamOf?: ((workload: Workload) => string) | undefined
}

export const NOT_VALUED: Accounting = { prices: null }
export const NOTHING_SAVED: Saved = { replicaSeconds: 0, coreSeconds: 0, byteSeconds: 0 }

export function plus(a: Saved, b: Saved): Saved {
  return {
    replicaSeconds: a.replicaSeconds + b.replicaSeconds,
    coreSeconds: a.coreSeconds + b.coreSeconds,
    byteSeconds: a.byteSeconds + b.byteSeconds,
  }
}

/** The price of what was saved: of what pods request, which is not what a provider bills. */
export function moneyOf({ coreSeconds, byteSeconds }: Saved, { cpu, memory }: Prices): number {
  return (coreSeconds * cpu + (byteSeconds / GIB) * memory) / HOUR_S
}

/** As records show it. */
export type SavedAmounts = ReturnType<typeof savedRecord>

/** Cells of a table, in the units that prices have: core-hours, GiB-hours, and money where there are prices. */
export function amountCells({
  cpu_core_seconds: coreSeconds,
  memory_byte_seconds: byteSeconds,
  money,
}: SavedAmounts): string[] {
  const hours = [coreSeconds / HOUR_S, byteSeconds / GIB / HOUR_S].map((each) => each.toFixed(1))
  return [...hours, ...(money ? [money.amount.toFixed(2)] : [])]
}

/** As records show it; in whole seconds, so that sums of records are exact. */
export function savedRecord(saved: Saved, prices: Prices | null) {
  const { replicaSeconds, coreSeconds, byteSeconds } = saved
  const money = prices && {
    amount: Math.round(moneyOf(saved, prices) * DECIMALS) / DECIMALS,
    currency: prices.currency,
  }
  return {
    replica_seconds: replicaSeconds,
    cpu_core_seconds: coreSeconds,
    memory_byte_seconds: byteSeconds,
    money,
  }
}

/** The value of the label that names teams, of a workload or else of its Namespace; `none`: neither has it. */
export function teamOf(label: string, { labels }: Workload, namespace: Namespace | undefined): string {
  return labels?.[label] || namespace?.labels?.[label] || 'none'
}

/** The replicas that its sleep saves now; a suspended CronJob saves nothing that could be measured. */
export function replicasSaved(reading: Reading): number {
  const { workload } = reading
  const saves = isAtRest(reading) && formOf(workload).countsPods
  return saves ? Math.max(0, keptCount(reading) - currentReplicas(workload)) : 0
}

/**
 * The savings of its sleep since `from`: of the present sleep, and of those whose snooze and wake are still in the history.
 * All replicas agree, even after a restart.
 */
export function savedSince(reading: Reading, from: Instant, now: Instant): Saved {
  return savedBy(reading.workload, replicaTimeSaved(reading, from, now))
}

/** By replicas multiplied by milliseconds; in whole seconds. */
export function savedBy({ requests }: Pick<Workload, 'requests'>, replicaTime: number): Saved {
  const seconds = replicaTime / 1000
  return {
    replicaSeconds: Math.round(seconds),
    coreSeconds: Math.round(seconds * requests.cpu),
    byteSeconds: Math.round(seconds * requests.memory),
  }
}

/** Replicas multiplied by milliseconds. */
function replicaTimeSaved(reading: Reading, from: Instant, now: Instant): number {
  const { state, workload } = reading
  if (!formOf(workload).countsPods) return 0
  const { history, snoozed } = state
  return replicaTime(history, snoozed && { since: snoozed.at, replicas: replicasSaved(reading) }, {
    from,
    now,
  })
}
