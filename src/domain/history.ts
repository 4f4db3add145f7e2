import type { Instant } from '../clock.ts'
import type { Policy } from './policy.ts'
import type { Reading } from './reading.ts'
import { HISTORY_LIMIT } from './state-codec.ts'
import { operationInProgress, type Operation, type OperationResult, type State } from './state.ts'
import { isRunning, podsFollowed } from './workload.ts'

/** The history with `operation` as its newest; what was still running is superseded by it. */
export function withOperation(state: State, operation: Operation): State {
  const [newest, ...older] = state.history
  const before =
    newest?.result === 'running' ? [ended(newest, 'superseded', operation.at), ...older] : state.history
  return { ...state, history: [operation, ...before].slice(0, HISTORY_LIMIT) }
}

/** The operation in progress has ended; a state without one stays as it is. */
export function withResult(state: State, result: OperationResult, now: Instant): State {
  const [newest, ...older] = state.history
  if (newest?.result !== 'running') return state
  return { ...state, history: [ended(newest, result, now), ...older] }
}

/** How the operation in progress has ended by now; undefined: there is none, or it still runs. */
export function finishedOperation(
  { state, workload }: Reading,
  now: Instant,
  { operationTimeout }: Policy,
): 'succeeded' | 'timed_out' | undefined {
  const operation = operationInProgress(state)
  if (!operation) return undefined
  // A snooze that somebody undid has not succeeded because their pods are ready.
  if (podsFollowed(workload) && (operation.type === 'wake' || !isRunning(workload))) return 'succeeded'
  return now >= operation.at + operationTimeout ? 'timed_out' : undefined
}

/** Snooze and wake operations after `since` that the cluster did not refuse. */
export function recentOperations(state: State, since: Instant): number {
  return state.history.filter(({ at, result }) => at > since && result !== 'failed').length
}

function ended(operation: Operation, result: OperationResult, now: Instant): Operation {
  return { ...operation, result, duration: Math.max(0, now - operation.at) }
}
