import { MEMORY_BARS } from './memory-bars.ts'
import { medianOf, type Wave } from '../measure/wave.ts'
import { median } from '../report/figures.ts'
import type { Point } from '../report/results.ts'
import type { Bar, Measured } from '../report/row.ts'

/** The waves of Dormouse and of the comparisons, in turn. */
export interface Waves {
  readonly count: number
  readonly ours: readonly Wave[]
  readonly raw: readonly Wave[]
  /** The raw client that sends our bytes. */
  readonly bytes: readonly Wave[]
  /** Processor time of Dormouse a write of the raw client, which its watch hears of: milliseconds. */
  readonly meanwhile: readonly number[]
}

type Reference = 'raw' | 'bytes'
const NAMES: Readonly<Record<Reference, string>> = { raw: 'raw client', bytes: 'raw client with our bytes' }

export function rowsOf({ count, ours, raw, bytes, meanwhile }: Waves): Measured[] {
  const of = count.toLocaleString('en')
  const references = { raw, bytes }
  const in_ = (waves: readonly Wave[], direction: Wave['direction']) =>
    waves.filter((wave) => wave.direction === direction)
  const rates = (['sleep', 'wake'] as const).flatMap((direction) =>
    (['raw', 'bytes'] as const).map((name): Measured => {
      const rate = (waves: readonly Wave[]) =>
        medianOf(in_(waves, direction), ({ first, last }) => (count / (last - first)) * 1000)
      const reference = { name: NAMES[name], figure: rate(references[name]) }
      return {
        what: `${of} ${direction}, first to last patch`,
        figure: rate(ours),
        unit: 'a second',
        reference,
        ...(name === 'raw' && { bar: { of: 'ratio', atLeast: 0.85 } }),
      }
    }),
  )
  const seconds = (waves: readonly Wave[]) => medianOf(waves, ({ last }) => last / 1000)
  const compared = (what: string, unit: string, get: (wave: Wave) => number, bar?: Bar): Measured => {
    const reference = { name: NAMES.raw, figure: medianOf(raw, get) }
    return { what, figure: medianOf(ours, get), unit, reference, ...(bar && { bar }) }
  }
  return [
    ...rates,
    {
      what: `${of}: edge to first patch, p99 of ${ours.length} waves`,
      figure: Math.max(...ours.map(({ first }) => first)),
      unit: 'ms',
      bar: { of: 'figure', atMost: 50 },
    },
    {
      what: `${of}: edge to last patch`,
      figure: seconds(ours),
      unit: 's',
      reference: { name: NAMES.raw, figure: seconds(raw) },
    },
    { what: `${of}: edge to p99 of the patches`, figure: medianOf(ours, ({ p99 }) => p99 / 1000), unit: 's' },
    compared(`${of}: API server's CPU a transition`, 'ms', ({ apiCpu }) => apiCpu, {
      of: 'ratio',
      atMost: 1.15,
    }),
    {
      what: `${of}: API server's CPU a transition`,
      figure: medianOf(ours, ({ apiCpu }) => apiCpu),
      unit: 'ms',
      reference: { name: NAMES.bytes, figure: medianOf(bytes, ({ apiCpu }) => apiCpu) },
    },
    compared(`${of}: own CPU a transition`, 'ms', ({ ownCpu }) => ownCpu, { of: 'figure', atMost: 0.6 }),
    {
      what: `${of}: Dormouse's CPU a write of the raw client, while that is measured`,
      figure: median(meanwhile),
      unit: 'ms',
    },
    { what: `${of}: writes a transition`, figure: medianOf(ours, ({ writes }) => writes), unit: '' },
    // Dormouse holds those of the raw clients, too: the bars are those of the scenario `memory`.
    ...rssRows(`${of} of ${(count * 3).toLocaleString('en')}`, ours),
  ]
}

/** With so many workloads in the cluster, all of them managed. */
export function memoryRows(count: number, waves: readonly Wave[], note?: string): Measured[] {
  return rssRows(count.toLocaleString('en'), waves, MEMORY_BARS[count], note)
}

/** At rest: just before an edge; the peak: the largest of all waves. */
function rssRows(
  of: string,
  waves: readonly Wave[],
  { rest, peak }: { readonly rest?: number; readonly peak?: number } = {},
  note?: string,
): Measured[] {
  const row = (what: string, figure: number, atMost: number | undefined): Measured => ({
    what: `${of}: RSS ${what}`,
    figure,
    unit: 'MB',
    ...(atMost === undefined ? {} : { bar: { of: 'figure', atMost } }),
    ...(note === undefined ? {} : { note }),
  })
  return [
    row('at rest, before its first wave', waves[0]?.restMemory ?? Number.NaN, rest),
    row('at rest, between waves', restOf(waves), rest),
    row('at its peak in a wave', Math.max(...waves.map(({ peakMemory }) => peakMemory)), peak),
  ]
}

function restOf(waves: readonly Wave[]): number {
  return medianOf(waves, ({ restMemory }) => restMemory)
}

/** Points of the charts about time. */
export function timeGrowth({
  count,
  ours,
  raw = [],
}: Pick<Waves, 'count' | 'ours'> & Partial<Waves>): Point[] {
  const seconds = (waves: readonly Wave[]) => medianOf(waves, ({ last }) => last / 1000)
  const first = ({ first }: Wave) => first
  return [
    ...point('wave-time', 'Dormouse', count, seconds(ours)),
    ...point('wave-time', 'raw client', count, seconds(raw)),
    ...point('edge-lateness', 'median', count, medianOf(ours, first)),
    ...point('edge-lateness', 'longest', count, Math.max(...ours.map(first))),
  ]
}

/** Points of the chart about memory, of waves with nothing but managed workloads. */
export function memoryGrowth(count: number, waves: readonly Wave[]): Point[] {
  return [
    ...point('memory', 'at rest', count, restOf(waves)),
    ...point('memory', 'peak', count, Math.max(...waves.map(({ peakMemory }) => peakMemory))),
  ]
}

function point(chart: Point['chart'], line: string, workloads: number, figure: number): Point[] {
  return Number.isFinite(figure) ? [{ chart, line, workloads, figure: Number(figure.toPrecision(3)) }] : []
}
