import type { Instant } from '../../service/process/clock.ts'
import { keptCount } from '../workload/counts.ts'
import type { Reading } from '../workload/reading.ts'
import { isRunning } from '../workload/workload.ts'

/**
 * The replicas that sleep saved since `from`, multiplied by milliseconds: of the present sleep, and of those whose
 * snooze and wake are still in the history. All replicas agree, even after a restart.
 */
export function replicaTimeSaved(reading: Reading, from: Instant, now: Instant): number {
  const { state, workload } = reading
  const time = (since: Instant, until: Instant) => Math.max(0, Math.min(until, now) - Math.max(since, from))
  let saved = 0
  let snoozedAt: Instant | undefined
  for (const { type, at, replicas } of state.history.toReversed()) {
    if (type === 'wake' && snoozedAt !== undefined) saved += replicas * time(snoozedAt, at)
    snoozedAt = type === 'snooze' ? at : undefined
  }
  const sleeps = state.asleep && !isRunning(workload)
  return sleeps && state.snoozed ? saved + keptCount(reading) * time(state.snoozed.at, now) : saved
}
