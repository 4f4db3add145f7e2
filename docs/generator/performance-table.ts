import { charts, titleOf } from '../../bench/report/charts.ts'
import { readResults, type Results, type ScenarioResult } from '../../bench/report/results.ts'
import { cellsOf, HEAD, notesOf } from '../../bench/report/table.ts'
import { SCENARIOS } from '../../bench/scenarios/all.ts'
import { table } from './page.ts'

/** The bench's figures that have a bar, as tables; and the charts. */
export function performancePart(results: Results = readResults()): string {
  const measured = SCENARIOS.flatMap(({ name, about }) => {
    const result = results[name]
    if (!result) return []
    const judged = result.rows.filter(({ bar }) => bar !== null)
    const notes = notesOf(judged).map((note) => `- ${note}`)
    return [`### ${name}: ${about}`, whereOf(result), table(HEAD, judged.map(cellsOf)), notes.join('\n')]
  })
  const drawn = [...charts(results).keys()].map((name) => `![${titleOf(name)}](performance/${name}.svg)`)
  const growth = drawn.length > 0 ? ['### How costs grow with the number of workloads', ...drawn] : []
  return [...measured, ...growth].join('\n\n')
}

/** The load average that the bench alone makes at the most. */
const QUIET = 5

function whereOf({ date, quick, seconds, load = 0, machine }: ScenarioResult): string {
  const { cores, memory, node, kubernetes, etcd } = machine
  const where = `${cores} cores and ${memory} for all of it, Node ${node.slice(1)}, Kubernetes ${kubernetes}, etcd ${etcd}`
  const warning = quick ? '**A quick run with small numbers: no figure of it is to be believed.** ' : ''
  const others = load > QUIET ? ` Others used it meanwhile (load average ${load}), so only ratios count.` : ''
  return `${warning}${date}, ${Math.ceil(seconds / 60)} min: ${where}.${others}`
}
