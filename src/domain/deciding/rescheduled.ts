import { withState, type Reading } from '../workload/reading.ts'
import { outweighsSchedule } from '../workload/trigger.ts'
import { desired } from './desired.ts'
import { lacksHours } from './hours.ts'
import { newIntent, stillRuns } from './intent.ts'
import type { Situation } from './situation.ts'

/**
 * `after` with the intent that `by` forms by changing the schedule or the zone. An intent that a person formed
 * outlasts the removal of a schedule, and one whose `until` still runs outlasts any change.
 */
export function rescheduled(before: Situation, after: Reading, by: string | null): Reading {
  const { reading, intent, now } = before
  const { schedule, state } = after
  if (meansTheSame(reading, after) || lacksHours(after) || stillRuns(intent, now)) return after
  const asked = intent !== undefined && outweighsSchedule(intent)
  if (!schedule && asked && desired(before).code === 'intent') return after
  const is = before.with(after)
  const formed = newIntent(is, { want: is.scheduled ?? 'awake', by, trigger: 'schedule' })
  return withState(after, { ...state, intent: formed })
}

/** Whether two readings have equal schedules of their own, or none for the same reason. Calendars are another setting. */
export function meansTheSame(a: Reading, b: Reading): boolean {
  if (a.workload.annotations.schedule === b.workload.annotations.schedule && a.zone === b.zone) return true
  return weekly(a) === weekly(b) && a.scheduleFault === b.scheduleFault && a.hoursUnknown === b.hoursUnknown
}

function weekly({ schedule }: Reading): string | undefined {
  return schedule && `${schedule.text} ${schedule.zone}`
}
