import type { Instant } from '../../process/clock.ts'
import { midnightOf } from './calendar.ts'
import type { Edge, Schedule } from './schedule.ts'
import { InvalidSchedule } from './syntax.ts'
import { Zone } from './zone.ts'

const MINUTES_OF_DAY = 24 * 60
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/
const AN_END = 'a time with an offset such as 2026-11-24T18:00+01:00, or a date such as 2026-11-24'

/**
 * The instant of `2026-11-24T18:00+01:00`; of a date alone, its end in the zone.
 * @throws InvalidSchedule
 */
export function parseEnd(text: string, zone: string): Instant {
  const midnight = midnightOf(text)
  if (midnight !== undefined) {
    const end = Zone.named(zone)?.day(midnight).instantOf(MINUTES_OF_DAY)
    if (end !== undefined) return end
  }
  const date = INSTANT.exec(text)?.[1]
  const instant = date !== undefined && midnightOf(date) !== undefined ? Date.parse(text) : NaN
  if (Number.isNaN(instant)) {
    const advice = /T\d{1,2}:\d{2}(?::\d{2})?$/.test(text) ? ': add the offset, or Z for UTC' : ''
    throw new InvalidSchedule(`expected ${AN_END}, found '${text.slice(0, 40)}'${advice}`, 1, AN_END)
  }
  return instant
}

/** A schedule with one more window, which has no beginning and ends at `end`. */
export function withWindowUntil(schedule: Schedule, end: Instant): Schedule {
  // If another window is open at that end, it is no edge.
  const last: Edge | undefined = schedule.stateAt(end) === 'asleep' ? { at: end, to: 'asleep' } : undefined
  return {
    text: schedule.text,
    zone: schedule.zone,
    calendar: schedule.calendar,
    key: `${schedule.key} until ${end}`,
    stateAt: (t) => (t < end ? 'awake' : schedule.stateAt(t)),
    latestEdge(t) {
      if (t < end) return undefined
      const edge = schedule.latestEdge(t)
      return edge && edge.at > end ? edge : last
    },
    replacedOn: (t, daysAfter) => schedule.replacedOn(t, daysAfter),
    eventAt: (t) => schedule.eventAt(t),
    nextEdge: (t) => (t < end ? (last ?? schedule.nextEdge(end)) : schedule.nextEdge(t)),
  }
}
