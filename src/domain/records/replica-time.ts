import type { Operation } from '../workload/state.ts'

// The console's page loads this file as it is, so it imports nothing.

/** Milliseconds: savings are summed over a week. */
export const SAVED_OVER = 7 * 24 * 3_600_000

/** The present sleep, and the replicas that it saves now; instants as everywhere. */
interface Sleep {
  readonly since: number
  readonly replicas: number
}

/**
 * Replicas that sleep saved between two instants, multiplied by milliseconds: of the present sleep, and of those whose
 * snooze and wake are still in the history, newest first.
 */
export function replicaTime(
  history: readonly Pick<Operation, 'type' | 'at' | 'replicas' | 'result'>[],
  sleep: Sleep | undefined,
  { from, now }: { readonly from: number; readonly now: number },
): number {
  const time = (since: number, until: number) => Math.max(0, Math.min(until, now) - Math.max(since, from))
  let saved = 0
  let slept: Pick<Operation, 'at' | 'replicas'> | undefined
  for (const operation of history.toReversed()) {
    const { type, at, replicas, result } = operation
    // The cluster refused it.
    if (result === 'failed') continue
    if (type === 'wake' && slept) saved += Math.max(0, replicas - slept.replicas) * time(slept.at, at)
    slept = type === 'snooze' ? operation : undefined
  }
  return sleep ? saved + sleep.replicas * time(sleep.since, now) : saved
}
