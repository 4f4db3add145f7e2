import { flag, meaning, oneOf, record, text, type ValueOf } from '../../../domain/json-schema.ts'
import { KEPT_AT_ZERO } from '../../../domain/records/kept-at-zero.ts'
import type { WorkloadKey } from '../../../domain/workload/workload.ts'
import { ERROR_CODES, type Refusal } from '../../process/errors.ts'
import { kind } from '../openapi/parameters.ts'
import { messageAbout } from '../remedies.ts'

/** How many workloads one request may be about. */
export const MOST_WORKLOADS = 500

/** The outcome for a workload: `done` (in a dry run: would be), `unchanged` because it is so already, `left_out` because its owner keeps it at 0, or `refused`. */
export const BULK_RESULTS = ['done', 'unchanged', 'left_out', 'refused'] as const
export type BulkResult = (typeof BULK_RESULTS)[number]

/** How many workloads had each result. */
export type BulkCounts = Record<BulkResult, number>

export const BULK_ITEM = record('What became of one workload of a namespace', {
  kind,
  name: text,
  result: meaning(
    'In a dry run: what it would be. Unchanged: it holds already. Left out: its owner keeps it at 0',
    oneOf(BULK_RESULTS),
  ),
  code: meaning('Of the refusal, as of an error; null: it was not refused', oneOf([...ERROR_CODES, null])),
  message: meaning('What was done, or why it was not and what to do', text),
  operation_in_progress: meaning('Whether pods still have to follow', flag),
})
type Item = ValueOf<typeof BULK_ITEM>
/** One workload of a request about a namespace, as the API answers it; every field always present. It changes until its pods have followed. */
export type BulkItem = { -readonly [Field in keyof Item]: Item[Field] }

export function refused(workload: WorkloadKey, refusal: Refusal): BulkItem {
  const { kind, name } = workload
  const message = messageAbout(workload, refusal)
  return { kind, name, result: 'refused', code: refusal.code, message, operation_in_progress: false }
}

export function leftOut({ kind, name }: WorkloadKey): BulkItem {
  return { kind, name, result: 'left_out', code: null, message: KEPT_AT_ZERO, operation_in_progress: false }
}

export function countsOf(items: readonly BulkItem[]): BulkCounts {
  const counts: BulkCounts = { done: 0, unchanged: 0, left_out: 0, refused: 0 }
  for (const { result } of items) counts[result] += 1
  return counts
}

/** All of them in a sentence. */
export function summaryOf(items: readonly BulkItem[]): string {
  if (items.length === 0) return 'no workload that you may list matches'
  const counts = countsOf(items)
  const { done, unchanged, refused, left_out: leftOut } = counts
  return [
    `${done} done, ${unchanged} unchanged, ${refused} refused`,
    ...(leftOut > 0 ? [`${leftOut} kept at 0`] : []),
  ].join(', ')
}
