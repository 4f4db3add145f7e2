import type { Kind, WorkloadKey } from '../../../domain/workload/workload.ts'
import { messageAbout } from '../remedies.ts'
import type { ErrorCode, Refusal } from '../../process/errors.ts'

/** How many workloads one request may be about. */
export const MOST_WORKLOADS = 500

/** What became of a workload: `done` (in a dry run: would be), `unchanged` since it holds already, or `refused`. */
export const BULK_RESULTS = ['done', 'unchanged', 'refused'] as const
export type BulkResult = (typeof BULK_RESULTS)[number]

/** How many workloads had each result. */
export type BulkCounts = Record<BulkResult, number>

/** One workload of a request about a namespace, as the API answers it; every field always present. */
export interface BulkItem {
  kind: Kind
  name: string
  result: BulkResult
  /** Of the refusal. */
  code: ErrorCode | null
  message: string
  /** Whether its pods still have to follow. */
  operation_in_progress: boolean
}

export function refused(workload: WorkloadKey, refusal: Refusal): BulkItem {
  const { kind, name } = workload
  const message = messageAbout(workload, refusal)
  return { kind, name, result: 'refused', code: refusal.code, message, operation_in_progress: false }
}

export function countsOf(items: readonly BulkItem[]): BulkCounts {
  const counts: BulkCounts = { done: 0, unchanged: 0, refused: 0 }
  for (const { result } of items) counts[result] += 1
  return counts
}

/** All of them in a sentence. */
export function summaryOf(items: readonly BulkItem[]): string {
  if (items.length === 0) return 'no workload that you may list matches'
  const counts = countsOf(items)
  return BULK_RESULTS.map((result) => `${counts[result]} ${result}`).join(', ')
}
