import type { Instant } from '../../service/process/clock.ts'
import { scheduledState } from './schedule-in-force.ts'
import { currentIntent, desired, isAutomatic, newIntent, stillRuns } from './intent.ts'
import { withState, type Reading } from '../workload/reading.ts'
import type { Rules } from './rules.ts'

/**
 * `after` with the intent that `by` forms by changing the schedule or the zone. An intent that a person formed
 * outlasts the removal of a schedule, and one whose `until` still runs outlasts any change.
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
  const asked = intent !== undefined && !isAutomatic(intent)
  if (!schedule && asked && desired(before, now, rules).rule === 'intent') return after
  const want = scheduledState(after, now) ?? 'awake'
  const formed = newIntent(after, now, { want, by, trigger: 'schedule' })
  return withState(after, { ...after.state, intent: formed })
}

/** Whether two readings have equal schedules of their own, or none for the same reason. Calendars are another setting. */
export function meansTheSame(a: Reading, b: Reading): boolean {
  if (a.workload.annotations.schedule === b.workload.annotations.schedule && a.zone === b.zone) return true
  return weekly(a) === weekly(b) && a.scheduleFault === b.scheduleFault
}

function weekly({ schedule }: Reading): string | undefined {
  return schedule && `${schedule.text} ${schedule.zone}`
}
