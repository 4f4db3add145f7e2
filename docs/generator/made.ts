import { apiReference } from './api-reference.ts'
import { metricsTable } from './metrics-table.ts'

/** The pages of docs/ of which a part is made from the code, and that part. */
export const MADE: Readonly<Record<string, () => string | Promise<string>>> = {
  'api.md': apiReference,
  'operating.md': metricsTable,
}
