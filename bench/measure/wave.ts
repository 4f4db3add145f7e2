import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../report/figures.ts'
import { cpuOf, memoryOf, resetPeak } from './process.ts'
import type { Scalings, ScaleWatch } from './scale-watch.ts'

/** One wave: all workloads asleep, or all awake again. Times in milliseconds, memory in MB. */
export interface Wave {
  readonly direction: 'sleep' | 'wake'
  /** After the edge, or after the raw client began. */
  readonly first: number
  readonly last: number
  readonly p99: number
  /** Writes a workload. */
  readonly writes: number
  /** Processor time a workload: the API server's, and of the process that writes. */
  readonly apiCpu: number
  readonly ownCpu: number
  readonly restMemory: number
  readonly peakMemory: number
  /** How long it was measured. */
  readonly lasted: number
}

interface Timed {
  readonly watch: ScaleWatch
  readonly count: number
  readonly direction: Wave['direction']
  /** Since the epoch; undefined: now. */
  readonly edge?: number
  /** The process that writes. */
  readonly pid: number
  readonly apiCpu: () => Promise<number>
  /** The cause of the wave, unless it is the edge. */
  readonly act?: () => Promise<unknown>
  /** The count of a workload that is awake; 3 by default. */
  readonly replicas?: number
  /** After so many milliseconds without an event the wave is over; 1000 by default. */
  readonly quiet?: number
}

/** How long before the edge the measurement begins. */
const BEFORE = 300
const PATIENCE = 300_000

/** Measures one wave, until nothing has been written for a while. */
export async function timedWave(timed: Timed): Promise<Wave> {
  const { watch, count, direction, edge, pid, apiCpu, act, replicas = 3, quiet = 1000 } = timed
  await resetPeak(pid)
  const { now: restMemory } = await memoryOf(pid)
  if (edge !== undefined) await sleep(edge - BEFORE - Date.now())
  watch.forget()
  const [api, own] = [await apiCpu(), await cpuOf(pid)]
  const begun = performance.timeOrigin + performance.now()
  const target = direction === 'sleep' ? 0 : replicas
  const [scalings] = await Promise.all([watch.scaled(target, count, PATIENCE, quiet), act?.()])
  const lasted = performance.timeOrigin + performance.now() - begun
  const [apiAfter, ownAfter] = [await apiCpu(), await cpuOf(pid)]
  const { peak: peakMemory } = await memoryOf(pid)
  return {
    direction,
    ...timesOf(scalings, edge ?? begun),
    writes: scalings.events / count,
    apiCpu: (apiAfter - api) / count,
    ownCpu: (ownAfter - own) / count,
    restMemory,
    peakMemory,
    lasted,
  }
}

function timesOf({ at }: Scalings, since: number): Pick<Wave, 'first' | 'last' | 'p99'> {
  const [first = Number.NaN, last = Number.NaN] = [at[0], at.at(-1)]
  return { first: first - since, last: last - since, p99: quantile(at, 0.99) - since }
}

export function medianOf(waves: readonly Wave[], of: (wave: Wave) => number): number {
  return median(waves.map(of))
}
