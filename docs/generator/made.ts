import { charts } from '../../bench/report/charts.ts'
import { apiReference } from './api-reference.ts'
import { commandsTable } from './commands-table.ts'
import { metricsTable } from './metrics-table.ts'
import { performancePart } from './performance-table.ts'
import { refusedTokens } from './refused-tokens.ts'

/** The pages of docs/ of which a part is made from the code, and that part. */
export const MADE: Readonly<Record<string, () => string | Promise<string>>> = {
  'api.md': apiReference,
  'authentication.md': refusedTokens,
  'client.md': commandsTable,
  'operating.md': metricsTable,
  'performance.md': performancePart,
}

/** The charts of docs/, which are made from the bench's results: names and SVG. */
export function drawn(): [string, string][] {
  return [...charts()].map(([name, text]) => [`performance/${name}.svg`, text])
}
