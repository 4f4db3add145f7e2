import {
  calendarOf,
  dateRanges,
  parseDates,
  type Calendar,
  type Dates,
  type Meaning,
  type Read,
} from './calendar.ts'
import type { LocalTime } from './zone.ts'

/** A calendar as the service tells it to clients, in JSON. */
export interface PublishedCalendar {
  /** Those of the configuration. */
  readonly dates: Dates
  /** Dates and ranges without hours, with the names of their events. */
  readonly days?: Readonly<Record<string, string>>
  /** Start, end, whether they are as the workload's clocks show them, and the name of the event. */
  readonly windows?: readonly (readonly [start: number, end: number, isFloating: boolean, event: string])[]
  /** Without it: asleep. */
  readonly means?: Meaning
}

/** The inverse of `calendarPublished`. */
export function publishedCalendar({
  dates,
  days,
  windows,
  means,
}: Required<Pick<Read, 'days' | 'windows' | 'means'>> & { readonly dates: Dates }): PublishedCalendar {
  const byEvent = Map.groupBy(days, ([, event]) => event)
  const named = [...byEvent].flatMap(([event, some]) =>
    dateRanges(some.map(([midnight]) => midnight)).map((range) => [range, event] as const),
  )
  return {
    dates,
    ...(named.length > 0 && { days: Object.fromEntries(named) }),
    ...(windows.length > 0 && {
      windows: windows.map(({ start, end, isFloating, event }) => [start, end, isFloating, event] as const),
    }),
    ...(means === 'awake' && { means }),
  }
}

/** @throws InvalidSchedule */
export function calendarPublished(
  name: string,
  { dates, days = {}, windows = [], means = 'asleep' }: PublishedCalendar,
): Calendar {
  const named = Object.entries(days).flatMap(([range, event]) =>
    parseDates(range).map((midnight): [LocalTime, string] => [midnight, event]),
  )
  return calendarOf(name, dates, {
    days: named,
    windows: windows.map(([start, end, isFloating, event]) => ({ start, end, isFloating, event })),
    means,
  })
}
