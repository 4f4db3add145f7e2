import { operations } from './operations.ts'
import { overview } from './overview.ts'

/** The text of each dashboard's file in the chart, by its path. */
export function generated(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({ overview: overview(), operations: operations() }).map(([name, dashboard]) => [
      `charts/dormouse/dashboards/${name}.json`,
      `${JSON.stringify(dashboard, null, 2)}\n`,
    ]),
  )
}
