import { stepOf } from '../../domain/workload/json-pointer.ts'
import { dateOf, parseDates } from '../../domain/schedule/calendar.ts'
import { InvalidSchedule } from '../../domain/schedule/syntax.ts'
import { fault, type ConfigFault } from './faults.ts'
import type { Config } from './schema.ts'

/** Dates of calendars that do not exist, or that two entries of one calendar name. */
export function calendarFaults(
  { calendars }: Pick<Config, 'calendars'>,
  sourceOf: (pointer: string) => string,
): ConfigFault[] {
  return Object.entries(calendars).flatMap(([name, { dates }]) => {
    const named = new Map<number, string>()
    return Object.keys(dates).flatMap((range) => {
      const pointer = `/calendars/${stepOf(name)}/dates/${stepOf(range)}`
      const problem = problemOf(range, named)
      return problem === undefined ? [] : [fault(pointer, sourceOf(pointer), problem)]
    })
  })
}

function problemOf(range: string, named: Map<number, string>): string | undefined {
  try {
    for (const midnight of parseDates(range)) {
      const other = named.get(midnight)
      if (other !== undefined) return `expected each date once, found ${dateOf(midnight)} in ${other}, too`
      named.set(midnight, range)
    }
    return undefined
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}
