import pLimit from 'p-limit'
import { parseLabelSelector, InvalidLabelSelector } from '../../domain/policy/label-selector.ts'
import {
  countsOf,
  isKeptAtZero,
  leavesOut,
  LEFT_OUT,
  summaryOf,
  type BulkCounts,
} from '../../domain/records/bulk.ts'
import type { StatusRecord } from '../../domain/records/record.ts'
import type { Request } from '../../domain/requests/operations.ts'
import { Refusal } from '../../process/errors.ts'
import type { Dormouse, Found } from '../../client/ports.ts'
import { refusalOf, type Answered, type Call } from './call.ts'

/** How many workloads one request may be about, and how many are in work at once; as in the API. */
const MOST = 500
const ABREAST = 8

interface Item {
  readonly kind: string
  readonly name: string
  readonly result: keyof BulkCounts
  readonly code: string | null
  readonly message: string
  readonly operation_in_progress: boolean
}

/**
 * Makes the same request for each workload of a namespace, one patch each. A dry run stops with its caller; a write
 * finishes.
 */
export async function askAll(
  dormouse: Dormouse,
  namespace: string,
  request: Request,
  dryRun: boolean,
  { query, signal }: Pick<Call, 'query' | 'signal'>,
): Promise<Answered> {
  const chosen = await chosenOf(dormouse, namespace, query)
  const items = await pLimit(ABREAST).map(chosen, async (found) => {
    if (dryRun) signal.throwIfAborted()
    return await ask(dormouse, found, request, dryRun)
  })
  return {
    message: `${dryRun ? 'dry run, nothing was changed: ' : ''}${summaryOf(items, dryRun)}`,
    data: { items, counts: countsOf(items) },
  }
}

async function chosenOf(
  dormouse: Dormouse,
  namespace: string,
  query: URLSearchParams,
): Promise<readonly Found[]> {
  const [text, labelSelector] = [query.get('kind'), query.get('labelSelector') ?? undefined]
  const kind = text === null ? undefined : (await dormouse.kinds()).find((each) => each === text)
  if (text !== null && kind === undefined)
    throw new Refusal('VALIDATION_ERROR', `kind: Dormouse manages no ${text}`)
  checkSelector(labelSelector)
  const chosen = await dormouse.list({ namespace, kind, labelSelector })
  if (chosen.length <= MOST) return chosen
  throw new Refusal(
    'TOO_MANY_WORKLOADS',
    `${chosen.length} workloads match, and one request takes ${MOST} at most: nothing was changed; narrow it by a kind or by labels`,
  )
}

function checkSelector(text: string | undefined): void {
  if (text === undefined) return
  try {
    parseLabelSelector(text)
  } catch (error) {
    if (!(error instanceof InvalidLabelSelector)) throw error
    throw new Refusal('VALIDATION_ERROR', `labelSelector: ${error.message}`, { cause: error })
  }
}

async function ask(
  dormouse: Dormouse,
  { kind, record: before }: Found,
  request: Request,
  dryRun: boolean,
): Promise<Item> {
  const { namespace, name } = before
  if (leavesOut(request.action) && isKeptAtZero(before)) return { kind, name, ...LEFT_OUT }
  try {
    const { messages, after } = await dormouse.request({ kind, namespace, name }, request, dryRun)
    const { record } = await after()
    const result = requestable(before) === requestable(record) ? 'unchanged' : 'done'
    const { operation_in_progress } = record
    return { kind, name, result, code: null, message: messages.join('; '), operation_in_progress }
  } catch (error) {
    const { code, message } = refusalOf(error)
    return { kind, name, result: 'refused', code, message, operation_in_progress: false }
  }
}

/** The parts of a record that a request can change; others also follow the pods. */
function requestable(record: StatusRecord): string {
  const { enabled, is_snoozed, snooze_requested, wake_requested, pin_state } = record
  const { has_manual_override, manual_override_until, next_transition, reason } = record
  return JSON.stringify([
    enabled, is_snoozed, snooze_requested, wake_requested, pin_state,
    has_manual_override, manual_override_until, next_transition, reason,
  ]) // prettier-ignore
}
