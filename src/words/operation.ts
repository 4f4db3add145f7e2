import type { HistoryRecord } from '../domain/records/record.ts'
import { withoutPrefixes } from '../domain/workload/author.ts'
import type { OperationResult } from '../domain/workload/state.ts'
import { causeOfTrigger } from '../domain/workload/trigger.ts'

const RESULTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    running: 'pods are following',
    succeeded: 'succeeded',
    failed: 'failed',
    timed_out: 'pods came too late',
    superseded: 'the opposite came meanwhile',
  } satisfies Record<OperationResult, string>),
)

export function whatOf({ type, replicas }: Pick<HistoryRecord, 'type' | 'replicas'>): string {
  if (type === 'wake') return `Woken to ${replicas}`
  return replicas === 0 ? 'Put to sleep' : `Put to sleep at ${replicas}`
}

/** How an operation ended; a later release's word as it is. */
export function resultOf({ result }: Pick<HistoryRecord, 'result'>): string {
  return RESULTS.get(result) ?? result
}

/** How an operation came about, and its result unless it succeeded: `on request, pods came too late`. */
export function howOf(operation: Pick<HistoryRecord, 'trigger' | 'result'>): string {
  const how = causeOfTrigger(operation.trigger)
  return operation.result === 'succeeded' ? how : `${how}, ${resultOf(operation)}`
}

/** The person, without the prefix that tells how they signed in. */
export function person(by: string | null): string {
  return by === null ? 'Dormouse' : withoutPrefixes(by)
}
