import type { Instant } from '../process/clock.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import type { Tally } from './tally.ts'

/** Dates that are looked at, that of now included. */
const DAYS = 7

/** Workloads whose hours a calendar replaces on a date. */
interface Change {
  readonly calendar: string
  /** `2026-12-24` */
  readonly date: string
  /** `9:00-14:00`; `none`: asleep all day. */
  readonly hours: string
  readonly workloads: number
}

/**
 * The dates that calendars change within the next week, each in the workload's zone. Schedules are shared, so there are
 * few.
 */
export function calendarChanges(schedules: Tally<Schedule>, now: Instant): Iterable<Change> {
  const found = new Map<string, Change>()
  for (const [schedule, count] of schedules) {
    for (let day = 0; day < DAYS; day += 1) {
      const replaced = schedule.replacedOn(now, day)
      if (!replaced) continue
      const { calendar, first: date, hours } = replaced
      const key = `${calendar} ${date} ${hours}`
      const workloads = (found.get(key)?.workloads ?? 0) + count
      found.set(key, { calendar, date, hours: hours || 'none', workloads })
    }
  }
  return found.values()
}
