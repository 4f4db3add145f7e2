import { OPERATIONS, type Action } from '../requests/operations.ts'
import type { StatusRecord } from './record.ts'

/** The outcome for a workload of a request for many: `done` (in a dry run: would be), `unchanged` because it is so already, `left_out` because its owner keeps it at 0, or `refused`. */
export const BULK_RESULTS = ['done', 'unchanged', 'left_out', 'refused'] as const
type BulkResult = (typeof BULK_RESULTS)[number]

/** How many workloads had each result. */
export type BulkCounts = Record<BulkResult, number>

interface Outcome {
  readonly result: BulkResult
}

export function countsOf(outcomes: readonly Outcome[]): BulkCounts {
  const counts: BulkCounts = { done: 0, unchanged: 0, left_out: 0, refused: 0 }
  for (const { result } of outcomes) counts[result] += 1
  return counts
}

/** All of them in a sentence; `dryRun`: nothing of it was done. */
export function summaryOf(outcomes: readonly Outcome[], dryRun = false): string {
  if (outcomes.length === 0) return 'no workload that you may list matches'
  const { done, unchanged, refused, left_out: leftOut } = countsOf(outcomes)
  const keptAtZero = leftOut > 0 ? `, ${leftOut} kept at 0` : ''
  return dryRun
    ? `${done} would change, ${unchanged} would not, ${refused} would be refused${keptAtZero}`
    : `${done} done, ${unchanged} unchanged, ${refused} refused${keptAtZero}`
}

/** The words of a request for many about a workload that it leaves out. */
export const LEFT_OUT = {
  result: 'left_out',
  code: null,
  message: 'kept at 0 by its owner, so it is left out: name it to wake it',
  operation_in_progress: false,
} as const

/** Whether a request for many leaves out what its owner keeps at 0; by its own name a request wakes it. */
export function leavesOut(action: Action): boolean {
  return OPERATIONS[action].moves === 'awake'
}

/**
 * Whether its owner keeps it at 0: Dormouse did not put it to sleep, or found it at 0 then. So are retired releases, and
 * the old half of a blue-green deployment.
 */
export function isKeptAtZero(record: StatusRecord): boolean {
  const { is_snoozed: asleep, last_replicas: last, type, reason_code: code } = record
  return asleep ? last === 0 && type !== 'daemonset' : code === 'scaled_to_zero'
}
