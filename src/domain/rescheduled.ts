import type { Instant } from '../clock.ts'
import { currentIntent, desired, newIntent, stillRuns } from './intent.ts'
import { withState, type Reading } from './reading.ts'
import type { Rules } from './rules.ts'

/**
 * `after` with the intent that a change of the workload's own schedule or zone forms, by whom. What somebody asked
 * for outlasts the removal of a schedule, and an intent whose `until` still runs outlasts any change.
 */
export function rescheduled(
  before: Reading,
  after: Reading,
  by: string | null,
  now: Instant,
  rules: Rules,
): Reading {
  const { schedule, scheduleFault } = after
  const intent = currentIntent(before, now)
  if (meansTheSame(before, after) || scheduleFault !== undefined || stillRuns(intent, now)) return after
  const asked = intent !== undefined && intent.trigger !== 'schedule'
  if (!schedule && asked && desired(before, now, rules).rule === 'intent') return after
  const want = schedule?.stateAt(now) ?? 'awake'
  const formed = newIntent(after, now, { want, by, trigger: 'schedule' })
  return withState(after, { ...after.state, intent: formed })
}

/** Whether two readings have equal schedules, or none for the same reason. */
export function meansTheSame(a: Reading, b: Reading): boolean {
  return a.schedule?.key === b.schedule?.key && a.scheduleFault === b.scheduleFault
}
