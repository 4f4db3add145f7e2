import type { Instant } from '../../process/clock.ts'
import { isCredible } from './decision-time.ts'
import type { Policy } from '../workload/settings-rules.ts'
import type { Reading } from '../workload/reading.ts'
import { HISTORY_LIMIT } from '../workload/history-codec.ts'
import {
  operationInProgress,
  restOf,
  type Operation,
  type OperationResult,
  type State,
} from '../workload/state.ts'
import { looksAsleep, podsFollowed, type Workload } from '../workload/workload.ts'

/** How an operation ended, and when. */
export interface Ending {
  readonly result: 'succeeded' | 'timed_out'
  readonly at: Instant
}

/** The history with `operation` as its newest; it supersedes one that is still running. */
export function withOperation(state: State, operation: Operation): State {
  const [newest, ...older] = state.history
  const before =
    newest?.result === 'running' ? [ended(newest, 'superseded', operation.at), ...older] : state.history
  return { ...state, history: [operation, ...before].slice(0, HISTORY_LIMIT) }
}

/**
 * The reading with its operation in progress completed, if it has ended by now. The end is computed from the workload,
 * so that all replicas agree, and is written along with the next change. Only the end of a wake is a write of its own,
 * which also gives `f:replicas` back.
 */
export function completed(reading: Reading, now: Instant, policy: Policy): Reading {
  const { state, written, workload } = reading
  const ending = endingOf(state, workload, now, policy)
  const [newest, ...older] = state.history
  if (!ending || !newest) return reading
  const completion = { ...state, history: [ended(newest, ending.result, ending.at), ...older] }
  const alone = state === written && newest.type === 'snooze'
  return { ...reading, state: completion, written: alone ? completion : written }
}

/** How the operation in progress has ended by now; undefined: there is none, or it still runs. */
export function endingOf(
  state: State,
  workload: Workload,
  now: Instant,
  { operationTimeout }: Policy,
): Ending | undefined {
  const operation = operationInProgress(state)
  if (!operation) return undefined
  const timeout = operation.at + operationTimeout
  const { followedAt, followedBefore, updatedAt } = workload.pods
  const endsAt = (at: Instant): Ending =>
    at > timeout
      ? { result: 'timed_out', at: timeout }
      : { result: 'succeeded', at: within(at, operation.at, now) }
  // The pods or the spec have changed since; before that, the pods had followed the operation.
  if (followedBefore !== undefined && followedBefore >= operation.at) return endsAt(followedBefore)
  const isMoved = workload.generation > (operation.generation ?? workload.generation)
  if (hasFollowed(operation, workload, state)) {
    // The pods followed the operation before the spec changed again, at an unknown time.
    return isMoved && followedAt === undefined
      ? endsAt(Math.min(updatedAt ?? now, timeout))
      : endsAt(followedAt ?? updatedAt ?? Math.min(now, timeout))
  }
  // A snooze whose workload was changed since may have succeeded unseen by this process.
  if (isMoved && operation.type === 'snooze') return undefined
  // An operation dated far ahead by a wrong clock would time out as late.
  const isOver = now >= timeout || !isCredible(operation.at, now)
  return isOver ? { result: 'timed_out', at: timeout } : undefined
}

/** Whether the pods follow `operation`. A snooze that somebody undid has not succeeded, though all pods are ready. */
export function hasFollowed(
  { type }: Pick<Operation, 'type'>,
  workload: Workload,
  state: State | undefined,
): boolean {
  return podsFollowed(workload) && (type === 'wake' || looksAsleep(workload, restOf(state)))
}

function ended(running: Operation, result: OperationResult, at: Instant): Operation {
  const { generation: _, ...operation } = running
  return { ...operation, result, duration: Math.max(0, at - operation.at) }
}

function within(at: Instant, from: Instant, to: Instant): Instant {
  return Math.min(Math.max(at, from), Math.max(from, to))
}
