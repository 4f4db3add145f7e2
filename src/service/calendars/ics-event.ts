import ICAL from 'ical.js'
import type { LocalTime } from '../../domain/schedule/zone.ts'
import { textOf, textsOf, type IcsComponent, type IcsProperty } from './ics-lines.ts'
import { DAY, icalTime, isUtc, localIn, timeOf, type IcsTime, type Zones } from './ics-times.ts'

/** An event, or one occurrence of it that was changed. Times are as its own clocks show them. */
export interface IcsEvent {
  readonly uid: string
  /** The line on which it begins. */
  readonly line: number
  readonly name: string
  readonly description: string
  readonly categories: readonly string[]
  readonly isCancelled: boolean
  readonly sequence: number
  readonly start: LocalTime
  readonly end: LocalTime
  /** It lasts whole local days: both ends are midnights. */
  readonly isAllDay: boolean
  readonly clocks: IcsTime['clocks']
  /** The name of its zone, where that is unknown. */
  readonly zone: string | undefined
  readonly rule: ICAL.Recur | undefined
  /** The further starts of RDATE. */
  readonly added: readonly LocalTime[]
  /** The dates, and the starts, that do not count. */
  readonly excluded: { readonly dates: ReadonlySet<LocalTime>; readonly starts: ReadonlySet<LocalTime> }
  /** The occurrence that this replaces; undefined: it is the event itself. */
  readonly replaces: { readonly time: IcsTime; readonly andLater: boolean } | undefined
  /** The parts that were read in another way than they were written, in words; undefined: none. */
  readonly odd: string | undefined
}

/** An event that cannot be used; the message says why. */
export class UnusableEvent extends Error {}

/**
 * The event of a VEVENT, in whatever form programs write it; undefined: it has no start, and so covers nothing (RFC
 * 5545, 3.6.1).
 * @throws UnusableEvent
 */
export function eventOf(component: IcsComponent, zones: Zones): IcsEvent | undefined {
  const own = (name: string) => component.properties.find((each) => each.name === name)
  const all = (name: string) => component.properties.filter((each) => each.name === name)
  const given = own('DTSTART')
  if (given === undefined || given.value === '') return undefined
  const start = timeIn(given, zones)
  const span = spanOf(start, endOf(component, start, zones), isMarked(own), zones)
  const replaced = own('RECURRENCE-ID')
  return {
    uid: own('UID')?.value || `of line ${component.line}`,
    line: component.line,
    name: textOf(own('SUMMARY')?.value ?? '').trim(),
    description: textOf(own('DESCRIPTION')?.value ?? ''),
    categories: all('CATEGORIES').flatMap(({ value }) => textsOf(value)),
    isCancelled: own('STATUS')?.value.toUpperCase() === 'CANCELLED',
    sequence: Number(own('SEQUENCE')?.value) || 0,
    start: span.start,
    end: span.end,
    isAllDay: span.isAllDay,
    odd: span.odd,
    clocks: start.clocks,
    zone: start.zone,
    rule: ruleOf(own('RRULE'), start, span.isAllDay, zones),
    added: startsOf(all('RDATE'), start, span.isAllDay, zones),
    excluded: excludedOf(all('EXDATE'), start, span.isAllDay, zones),
    replaces: replaced && {
      time: timeIn(replaced, zones),
      andLater: replaced.parameter('RANGE')?.toUpperCase() === 'THISANDFUTURE',
    },
  }
}

function timeIn(property: IcsProperty, zones: Zones): IcsTime {
  const found = timeOf(property.value, property, zones)
  if (!found)
    throw new UnusableEvent(`its ${property.name} '${property.value.slice(0, 40)}' is no date and no time`)
  return found
}

/** Outlook and Exchange write all-day events as times, with this mark. */
function isMarked(own: (name: string) => IcsProperty | undefined): boolean {
  return (
    (
      own('X-MICROSOFT-CDO-ALLDAYEVENT') ?? own('X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT')
    )?.value.toUpperCase() === 'TRUE'
  )
}

interface End {
  /** undefined: it has none. */
  readonly time: LocalTime | undefined
  readonly odd: string | undefined
}

/** The end as the clocks of the start show it: DTEND, or DURATION. */
function endOf({ properties }: IcsComponent, start: IcsTime, zones: Zones): End {
  const own = (asked: string) => properties.find(({ name, value }) => name === asked && value !== '')
  const [end, duration] = [own('DTEND'), own('DURATION')]
  const time = end && timeOf(end.value, end, zones)
  if (time) return { time: localIn(time, start.clocks), odd: undefined }
  if (duration && ICAL.Duration.isValueString(duration.value))
    return {
      time: start.local + ICAL.Duration.fromString(duration.value).toSeconds() * 1000,
      odd: undefined,
    }
  const unread = end ?? duration
  return {
    time: undefined,
    odd: unread && `its ${unread.name} '${unread.value.slice(0, 40)}' cannot be read, and is passed over`,
  }
}

interface EventSpan {
  readonly start: LocalTime
  readonly end: LocalTime
  readonly isAllDay: boolean
  readonly odd: string | undefined
}

/** Its ends, at midnights where it lasts whole local days, in whatever form that is written. */
function spanOf(time: IcsTime, { time: end, odd }: End, isAllDayMarked: boolean, { home }: Zones): EventSpan {
  const wholeDays = (first: number, last: number): EventSpan => ({
    start: first,
    // The end of an event of one day may be left out, or be its start.
    end: Math.max(last, first + DAY),
    isAllDay: true,
    odd,
  })
  const start = time.local
  if (time.isDate) return wholeDays(start, end === undefined ? start + DAY : Math.ceil(end / DAY) * DAY)
  const timed = { start, end: Math.max(start, end ?? start), isAllDay: false, odd }
  // A time in UTC may be a midnight where the author is.
  const shifts = isUtc(time) && home ? [home.localOf(start) - start, 0] : [0]
  for (const shift of shifts) {
    const [first, last] = [start + shift, upToMidnight(timed.end + shift)]
    const isWhole = first % DAY === 0 && last % DAY === 0 && last > first
    if (isWhole || (isAllDayMarked && first % DAY === 0)) return wholeDays(first, Math.ceil(last / DAY) * DAY)
  }
  if (isAllDayMarked) return wholeDays(nearestMidnight(start), nearestMidnight(timed.end))
  return timed
}

/** Some programs end a day at 23:59, or at 23:59:59. */
function upToMidnight(local: LocalTime): LocalTime {
  const left = DAY - (local % DAY)
  return left <= 60_000 ? local + left : local
}

/** No zone is further from UTC than half a day, but for few. */
function nearestMidnight(local: LocalTime): LocalTime {
  return Math.round(local / DAY) * DAY
}

/** A time beside the start as the event's own clocks show it; of an event of whole days, its date. */
function beside(time: IcsTime, start: IcsTime, isAllDay: boolean, { home }: Zones): LocalTime {
  if (!isAllDay) return localIn(time, start.clocks)
  return isUtc(time) && home ? Math.floor(home.localOf(time.local) / DAY) * DAY : midnightOf(time)
}

/** RRULE with its UNTIL by the event's own clocks. @throws UnusableEvent */
function ruleOf(
  property: IcsProperty | undefined,
  start: IcsTime,
  isAllDay: boolean,
  zones: Zones,
): ICAL.Recur | undefined {
  if (property === undefined || property.value === '') return undefined
  const bare = { ...property, parameter: () => undefined }
  const text = property.value.replace(/;?UNTIL=([^;]*)/i, (_, until: string) => {
    const time = timeOf(until, bare, zones)
    if (!time)
      throw new UnusableEvent(`the UNTIL '${until.slice(0, 40)}' of its RRULE is no date and no time`)
    // A date includes all its times.
    const last = isAllDay || !time.isDate ? beside(time, start, isAllDay, zones) : time.local + DAY - 1000
    const written = icalTime(last, isAllDay).toICALString()
    return `;UNTIL=${written}`
  })
  try {
    return ICAL.Recur.fromString(text.replace(/^;/, '').replaceAll(/\s/g, ''))
  } catch (error) {
    throw new UnusableEvent(`its RRULE cannot be read: ${(error as Error).message.slice(0, 200)}`, {
      cause: error,
    })
  }
}

function startsOf(
  properties: readonly IcsProperty[],
  start: IcsTime,
  isAllDay: boolean,
  zones: Zones,
): LocalTime[] {
  return listed(properties, zones).map((time) =>
    // A date beside times means that date at the time of the start.
    time.isDate && !isAllDay ? time.local + (start.local % DAY) : beside(time, start, isAllDay, zones),
  )
}

function excludedOf(
  properties: readonly IcsProperty[],
  start: IcsTime,
  isAllDay: boolean,
  zones: Zones,
): IcsEvent['excluded'] {
  const [dates, starts] = [new Set<LocalTime>(), new Set<LocalTime>()]
  for (const time of listed(properties, zones))
    (time.isDate || isAllDay ? dates : starts).add(beside(time, start, isAllDay, zones))
  return { dates, starts }
}

/** The times of RDATE or EXDATE; of a period its start. What cannot be read is none of them. */
function listed(properties: readonly IcsProperty[], zones: Zones): IcsTime[] {
  return properties.flatMap((property) =>
    property.value.split(',').flatMap((text) => timeOf(text.split('/')[0] ?? '', property, zones) ?? []),
  )
}

/** The starts and the dates of an event's occurrences that were changed. */
export function replacedIn(event: IcsEvent, changes: readonly IcsEvent[]): IcsEvent['excluded'] {
  const [dates, starts] = [new Set<LocalTime>(), new Set<LocalTime>()]
  for (const { replaces } of changes) {
    if (!replaces) continue
    starts.add(localIn(replaces.time, event.clocks))
    if (event.isAllDay || replaces.time.isDate) dates.add(midnightOf(replaces.time))
  }
  return { dates, starts }
}

function midnightOf(time: IcsTime): LocalTime {
  return isUtc(time) ? nearestMidnight(time.local) : Math.floor(time.local / DAY) * DAY
}
