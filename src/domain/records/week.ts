import { isAtRest } from '../workload/reading.ts'
import type { Situation } from '../deciding/situation.ts'
import { foreseenReadings } from '../deciding/foresight.ts'
import { NOTHING_SAVED, plus, replicasSaved, savedBy, savedRecord, type Prices, type Saved } from './saved.ts'

const HOUR = 3_600_000
const WEEK = 168 * HOUR

/** The savings of sleep in the week from a time on, if nobody acts. */
export interface Week {
  /** Those with managed workloads, by name. */
  readonly namespaces: readonly (WeekOf & { readonly namespace: string })[]
  readonly total: WeekOf
}

export interface WeekOf {
  /** The managed ones. */
  readonly workloads: number
  /** The mean of its workloads, from 0 to 168. */
  readonly hoursAsleep: number
  /** Requested, not billed. */
  readonly saved: ReturnType<typeof savedRecord>
}

interface Sum {
  readonly workloads: number
  /** Milliseconds, of all workloads together. */
  readonly asleep: number
  readonly saved: Saved
}

const NOTHING: Sum = { workloads: 0, asleep: 0, saved: NOTHING_SAVED }

/** Foretells a week of workloads, one after the other, and sums it up by namespace. */
export class WeekSummary {
  readonly #namespaces = new Map<string, Sum>()

  add(start: Situation): void {
    const { workload, now } = start
    let asleep = 0
    let replicaTime = 0
    for (const { reading, lasts } of foreseenReadings(start, now + WEEK)) {
      if (isAtRest(reading)) asleep += lasts
      replicaTime += replicasSaved(reading) * lasts
    }
    const sum = this.#namespaces.get(workload.namespace) ?? NOTHING
    const own = { workloads: 1, asleep, saved: savedBy(workload, replicaTime) }
    this.#namespaces.set(workload.namespace, both(sum, own))
  }

  record(prices: Prices | null): Week {
    const sums = [...this.#namespaces].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      namespaces: sums.map(([namespace, sum]) => ({ namespace, ...weekOf(sum, prices) })),
      total: weekOf(sums.map(([, sum]) => sum).reduce(both, NOTHING), prices),
    }
  }
}

function both(a: Sum, b: Sum): Sum {
  return {
    workloads: a.workloads + b.workloads,
    asleep: a.asleep + b.asleep,
    saved: plus(a.saved, b.saved),
  }
}

function weekOf({ workloads, asleep, saved }: Sum, prices: Prices | null): WeekOf {
  const hours = workloads === 0 ? 0 : asleep / workloads / HOUR
  return { workloads, hoursAsleep: Math.round(hours * 10) / 10, saved: savedRecord(saved, prices) }
}
