import { svg, type Chart } from './chart.ts'
import { CHART_NAMES, readResults, type ChartName, type Point, type Results } from './results.ts'

const ABOUT: Readonly<Record<ChartName, { readonly title: string; readonly unit: string }>> = {
  memory: { title: 'Memory', unit: 'MB' },
  'idle-bytes': { title: 'Bytes a minute when nothing happens', unit: 'KB' },
  'wave-time': { title: 'A wave, from the edge to the last patch', unit: 's' },
  'edge-lateness': { title: 'From the edge to the first patch', unit: 'ms' },
}

/** The charts of the results as SVG; a chart without points is left out. */
export function charts(results: Results = readResults()): Map<ChartName, string> {
  const points = Object.values(results).flatMap(({ growth }) => growth)
  const drawn = CHART_NAMES.flatMap((name): [ChartName, string][] => {
    const own = points.filter(({ chart }) => chart === name)
    return own.length === 0 ? [] : [[name, svg(chartOf(name, own))]]
  })
  return new Map(drawn)
}

export function titleOf(name: ChartName): string {
  return ABOUT[name].title
}

function chartOf(name: ChartName, points: readonly Point[]): Chart {
  const names = [...new Set(points.map(({ line }) => line))]
  const lines = names.map((line) => ({ name: line, points: points.filter((point) => point.line === line) }))
  return { ...ABOUT[name], lines }
}
