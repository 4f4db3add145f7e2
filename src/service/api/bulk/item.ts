import { flag, meaning, oneOf, record, text, type ValueOf } from '../../../domain/json-schema.ts'
import { BULK_RESULTS } from '../../../domain/records/bulk.ts'
import type { WorkloadKey } from '../../../domain/workload/workload.ts'
import { ERROR_CODES, type Refusal } from '../../../process/errors.ts'
import { kind } from '../openapi/parameters.ts'
import { messageAbout } from '../remedies.ts'

/** How many workloads one request may be about. */
export const MOST_WORKLOADS = 500

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
