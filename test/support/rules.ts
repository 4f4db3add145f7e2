import type { Instant } from '../../src/process/clock.ts'
import { NOTHING_INHERITED } from '../../src/domain/policy/inheritance.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import type { Policy } from '../../src/domain/workload/settings-rules.ts'
import { calendarOf, type Calendars, type Dates } from '../../src/domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../../src/domain/schedule/schedule.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Workloads inherit nothing: each has the annotations of its own. */
const ALONE: Pick<Rules, 'inherited' | 'inheritsSame'> = {
  inherited: () => NOTHING_INHERITED,
  inheritsSame: () => true,
}

/** The defaults of the configuration. */
const DEFAULTS: Policy = {
  timezone: 'UTC',
  operationTimeout: 10 * MINUTE,
  newWorkloadGrace: 15 * MINUTE,
  wakeHold: 12 * HOUR,
  backoff: { maxOperations: 6, window: HOUR, base: 5 * MINUTE, max: HOUR },
}

const compiler = new ScheduleCompiler()

export function rulesWith(policy: Partial<Policy> = {}, calendars?: Calendars): Rules {
  const schedules = calendars ? new ScheduleCompiler(100, calendars) : compiler
  return {
    policy: { ...DEFAULTS, ...policy },
    compile: (text, zone, calendar) => schedules.compile(text, zone, calendar),
    ...ALONE,
  }
}

/** Calendars of such dates: `{ de: { '2026-03-04': '' } }`; a text: why it cannot be used. */
export function calendarsOf(all: Readonly<Record<string, Dates | string>>): Calendars {
  const known = new Map(
    Object.entries(all).map(([name, dates]) => [
      name,
      typeof dates === 'string' ? dates : calendarOf(name, dates),
    ]),
  )
  return { find: (name) => known.get(name), names: [...known.keys()] }
}

export const RULES = rulesWith()

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const MONDAY = Date.parse('2026-03-02T00:00:00Z')

/**
 * An instant of the week of Monday, 2 March 2026, in UTC: `Mon 18:00`, `Tue 8:00:30`; `next Mon 8:00` is of the
 * one after.
 */
export function at(text: string): Instant {
  const [, next, day = '', hour, minute, second = '0'] =
    /^(next )?(\w{3}) (\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? []
  if (!DAYS.includes(day)) throw new TypeError(`no such instant: ${text}`)
  const days = DAYS.indexOf(day) + (next ? 7 : 0)
  return MONDAY + days * DAY + Number(hour) * HOUR + Number(minute) * MINUTE + Number(second) * SECOND
}

/** As the API writes an instant. */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString()
}
