import type { HistoryRecord } from '../domain/records/record.ts'
import type { Follower } from '../domain/sleeping/follower.ts'
import { withoutPrefixes } from '../domain/workload/author.ts'
import type { OperationResult } from '../domain/workload/state.ts'
import { causeOfTrigger } from '../domain/workload/trigger.ts'

const RESULTS = textsOf({
  succeeded: 'succeeded',
  failed: 'failed',
  superseded: 'the opposite came meanwhile',
})
/** Those that depend on what it waits for. */
const FOLLOWING = {
  pods: textsOf({ running: 'pods are following', timed_out: 'pods came too late' }),
  operator: textsOf({ running: 'its operator is following', timed_out: 'its operator came too late' }),
  nobody: textsOf({ running: 'under way', timed_out: 'took too long' }),
} satisfies Record<Follower, unknown>

function textsOf(texts: Partial<Record<OperationResult, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts))
}

/** `Woken to 3`, `Put to sleep`; of a workload whose counts are of no pods without a count. */
export function whatOf({ type, replicas }: Pick<HistoryRecord, 'type' | 'replicas'>, by: Follower): string {
  if (type === 'wake') return by === 'pods' ? `Woken to ${replicas}` : 'Woken'
  return replicas === 0 ? 'Put to sleep' : `Put to sleep at ${replicas}`
}

/** How an operation ended; a later release's word as it is. */
export function resultOf({ result }: Pick<HistoryRecord, 'result'>, by: Follower): string {
  return FOLLOWING[by].get(result) ?? RESULTS.get(result) ?? result
}

/** How an operation came about, and its result unless it succeeded: `on request, pods came too late`. */
export function howOf(operation: Pick<HistoryRecord, 'trigger' | 'result'>, by: Follower): string {
  const how = causeOfTrigger(operation.trigger)
  return operation.result === 'succeeded' ? how : `${how}, ${resultOf(operation, by)}`
}

/** The person, without the prefix that tells how they signed in. */
export function person(by: string | null): string {
  return by === null ? 'Dormouse' : withoutPrefixes(by)
}
