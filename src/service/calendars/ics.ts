import ICAL from 'ical.js'

const DAY = 24 * 60 * 60_000
/** Occurrences that are looked at, of all events of a file together: a day each for 270 years. */
const MOST_OCCURRENCES = 100_000

/**
 * The midnights of the dates from `from` to before `to` that all-day events of an iCalendar file (RFC 5545) cover,
 * recurrences included. Events with a time of day and cancelled ones do not count. Their busy status is ignored, since
 * many calendars mark holidays as free. ical.js never returns from some rules that match no date, so run it in a
 * thread.
 * @throws Error for an invalid file
 */
export function closedDates(text: string, from: number, to: number): number[] {
  const closed = new Set<number>()
  let left = MOST_OCCURRENCES
  const cover = ({ startDate, endDate, item }: Occurrence) => {
    if (!startDate.isDate || isCancelled(item)) return
    // The end of an event of one day may be left out, or be its start.
    const end = Math.max(midnightOf(endDate), midnightOf(startDate) + DAY)
    const first = Math.max(midnightOf(startDate), from)
    for (let day = first; day < Math.min(end, to); day += DAY) closed.add(day)
  }
  for (const event of eventsOf(text))
    for (const occurrence of named(event, occurrencesOf(event, to))) {
      if (left-- === 0) throw new Error(TOO_MANY)
      cover(occurrence)
    }
  return [...closed].toSorted((a, b) => a - b)
}

type Occurrence = Pick<ReturnType<ICAL.Event['getOccurrenceDetails']>, 'startDate' | 'endDate' | 'item'>

const TOO_MANY = `its events recur more than ${MOST_OCCURRENCES} times: give those that began long ago a later start`

/** The same, with the event's UID in errors of ical.js. */
function* named(event: ICAL.Event, occurrences: Iterable<Occurrence>): Generator<Occurrence, void> {
  try {
    yield* occurrences
  } catch (error) {
    const uid = uidOf(event.component).slice(0, 100)
    throw new Error(`its event ${uid} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** The occurrences that begin before `to`, in order; a single event has one occurrence: itself. */
function* occurrencesOf(event: ICAL.Event, to: number): Generator<Occurrence, void> {
  // An event needs no start in a file that names a method (RFC 5545, 3.6.1): then it covers no date.
  if (!(event.startDate as ICAL.Time | null)?.isDate) return
  const excluded = excludedDates(event)
  // The start is the first occurrence, whatever its RDATE or rule.
  if (!event.component.hasProperty('rrule') && !excluded.has(midnightOf(event.startDate)))
    yield event.getOccurrenceDetails(event.startDate)
  if (event.isRecurrenceException() || !event.isRecurring()) return
  const times = event.iterator()
  for (let next = times.next(); next && midnightOf(next) < to; next = times.next())
    if (!excluded.has(midnightOf(next))) yield event.getOccurrenceDetails(next)
}

/** ical.js passes over an EXDATE that comes after one which names no occurrence. Their times of day do not matter. */
function excludedDates({ component }: ICAL.Event): ReadonlySet<number> {
  const times = component.getAllProperties('exdate').flatMap((each) => each.getValues() as ICAL.Time[])
  return new Set(times.map(midnightOf))
}

/** Events with the occurrences of theirs that were changed; such an occurrence whose event is not there, by itself. */
function eventsOf(text: string): ICAL.Event[] {
  return calendarsOf(text).flatMap((calendar) => {
    const components = calendar.getAllSubcomponents('vevent')
    const isException = (each: ICAL.Component) => each.hasProperty('recurrence-id')
    const exceptions = Map.groupBy(components.filter(isException), uidOf)
    const events = components.filter((each) => !isException(each))
    const uids = new Set(events.map(uidOf))
    const alone = components.filter((each) => isException(each) && !uids.has(uidOf(each)))
    const whole = (each: ICAL.Component) =>
      new ICAL.Event(each, { exceptions: exceptions.get(uidOf(each)) ?? [] })
    return events.map(whole).concat(alone.map((each) => new ICAL.Event(each)))
  })
}

function calendarsOf(text: string): ICAL.Component[] {
  if (text.trim() === '') throw new Error('it is empty, or half-written')
  let parsed: unknown[]
  try {
    // Windows writes a byte order mark.
    parsed = ICAL.parse(text.replace(/^\uFEFF/, '')) as unknown[]
  } catch (error) {
    throw new Error(`it is no iCalendar file, or half-written: ${(error as Error).message.slice(0, 200)}`, {
      cause: error,
    })
  }
  // One calendar, or a list of several.
  const calendars = (Array.isArray(parsed[0]) ? parsed : [parsed]).map(
    (each) => new ICAL.Component(each as unknown[]),
  )
  if (calendars.some(({ name }) => name !== 'vcalendar'))
    throw new Error('it is no iCalendar file: expected a VCALENDAR')
  return calendars
}

function uidOf(component: ICAL.Component): string {
  return String(component.getFirstPropertyValue('uid'))
}

function isCancelled({ component }: ICAL.Event): boolean {
  return String(component.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED'
}

function midnightOf({ year, month, day }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day)
}
