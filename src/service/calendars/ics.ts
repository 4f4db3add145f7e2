import { createContext, runInContext } from 'node:vm'
import type ICAL from 'ical.js'
import type { Added } from '../../domain/schedule/calendar.ts'
import { globMatcher } from '../../domain/glob.ts'
import { counted } from '../../domain/text.ts'
import { printable } from '../../process/printable.ts'
import type { LocalTime } from '../../domain/schedule/zone.ts'
import { eventOf, replacedIn, UnusableEvent, type IcsEvent } from './ics-event.ts'
import { componentsOf, type IcsComponent } from './ics-lines.ts'
import { DAY, icalTime, localOf, Zones } from './ics-times.ts'
import type { EventFilter, ReadEvents } from './ports.ts'

/** Occurrences that are looked at, of all events of a file together: a day each for 270 years. */
const MOST_OCCURRENCES = 100_000
/** Milliseconds for the rule of one event, and for another one where a first was too slow. */
const LONGEST_RULE = { first: 4000, others: 500 }
/** Characters of an event's name. */
const LONGEST_NAME = 80
/** Notices of one file that are kept. */
const MOST_NOTICES = 20

interface Reading {
  readonly filter: EventFilter
  readonly from: number
  readonly to: number
}

/**
 * The events of an iCalendar file (RFC 5545): what they say about the dates from `from` to before `to`, recurrences included.
 * If they mean no hours, events of whole local days do, in whatever form a program writes them; cancelled ones do not.
 * Their busy status is ignored, since many calendars mark holidays as free. One event that cannot be used costs itself.
 * ical.js never returns from some rules that match no date, so run it in a thread.
 * @throws Error for a text that is no such file, or only half of one
 */
export function readEvents(text: string, { filter, from, to }: Reading): ReadEvents {
  const events = new Events(filter, from, to)
  for (const calendar of calendarsOf(text)) events.addAll(calendar)
  return events.result()
}

class Events {
  readonly #filter: EventFilter
  readonly #matches: (event: IcsEvent) => boolean
  readonly #from: number
  readonly #to: number
  readonly #days = new Map<LocalTime, string>()
  readonly #windows = new Map<string, Added>()
  readonly #notices: string[] = []
  readonly #counts = { all: 0, unusable: 0, timed: 0, others: 0 }
  #left = MOST_OCCURRENCES
  #wasSlow = false

  constructor(filter: EventFilter, from: number, to: number) {
    this.#filter = filter
    this.#matches = matcherOf(filter)
    this.#from = from
    this.#to = to
  }

  addAll(calendar: IcsComponent): void {
    const zones = new Zones(calendar)
    const isCancelled = calendar.properties.some(
      ({ name, value }) => name === 'METHOD' && value.toUpperCase() === 'CANCEL',
    )
    const read = calendar.components
      .filter(({ name }) => name === 'VEVENT')
      .flatMap((component) => this.#read(component, zones) ?? [])
    if (isCancelled) return
    const changes = Map.groupBy(
      read.filter(({ replaces }) => replaces),
      ({ uid }) => uid,
    )
    for (const event of newest(read.filter(({ replaces }) => !replaces)))
      this.#addEvent(event, changes.get(event.uid) ?? [])
    // A changed occurrence stands for itself, whether or not its event is there.
    for (const event of [...changes.values()].flat()) this.#addEvent(event, [])
  }

  result(): ReadEvents {
    const days = [...this.#days].toSorted(([a], [b]) => a - b)
    const windows = [...this.#windows.values()].toSorted((a, b) => a.start - b.start)
    return { days, windows, notices: this.#allNotices(days.length + windows.length) }
  }

  #allNotices(found: number): string[] {
    const { all, unusable, timed, others } = this.#counts
    const notices = [...this.#notices]
    if (unusable > notices.length)
      notices.push(`${unusable - notices.length} more of its events are left out`)
    if (timed > 0)
      notices.push(
        timed === 1
          ? '1 event has times of day and does not count'
          : `${timed} events have times of day and do not count`,
      )
    if (others > 0)
      notices.push(`${counted(others, 'event')} of it ${others === 1 ? 'does' : 'do'} not match \`events\``)
    if (found === 0)
      notices.push(
        all === 0 ? 'it has no event' : 'none of its events counts for any date of this year or the next two',
      )
    return notices
  }

  #read(component: IcsComponent, zones: Zones): IcsEvent | undefined {
    this.#counts.all += 1
    try {
      const event = eventOf(component, zones)
      if (event?.odd !== undefined && this.#matches(event) && this.#isOfUse(event))
        this.#notice(event.line, event.name, event.odd)
      return event
    } catch (error) {
      if (!(error instanceof UnusableEvent)) throw error
      const summary = component.properties.find(({ name }) => name === 'SUMMARY')?.value ?? ''
      this.#leaveOut(component.line, summary, error.message)
      return undefined
    }
  }

  #isOfUse({ isAllDay }: IcsEvent): boolean {
    return isAllDay || this.#filter.means === 'awake'
  }

  #leaveOut(line: number, name: string, why: string): void {
    this.#counts.unusable += 1
    this.#notice(line, name, `left out: ${why}`)
  }

  #notice(line: number, name: string, what: string): void {
    if (this.#notices.length < MOST_NOTICES)
      this.#notices.push(`event '${shortened(name)}' of line ${line}: ${printable(what)}`)
  }

  #addEvent(event: IcsEvent, changes: readonly IcsEvent[]): void {
    if (event.isCancelled) return
    if (!this.#matches(event)) {
      this.#counts.others += 1
      // Its changed occurrences are looked at by themselves.
      return
    }
    if (!this.#isOfUse(event)) {
      this.#counts.timed += 1
      return
    }
    if (!event.isAllDay && event.clocks === 'unknown')
      return this.#leaveOut(event.line, event.name, `its time zone '${event.zone?.slice(0, 64)}' is unknown`)
    if (event.end <= event.start) return this.#leaveOut(event.line, event.name, 'it has no end')
    try {
      for (const [start, end] of this.#occurrencesOf(event, changes)) this.#cover(event, start, end)
    } catch (error) {
      if (error instanceof TooMany) throw error
      this.#leaveOut(event.line, event.name, (error as Error).message.slice(0, 200))
    }
  }

  /** The occurrences of an event that begin before the end of what is read, each with its end. */
  #occurrencesOf(event: IcsEvent, changes: readonly IcsEvent[]): [LocalTime, LocalTime][] {
    const { rule, added, excluded } = event
    const starts = new Set<LocalTime>()
    // The start is the first occurrence, whatever its RDATE.
    if (!rule) starts.add(event.start)
    for (const start of added) starts.add(start)
    if (rule) for (const start of this.#startsBy(rule, event)) starts.add(start)
    const later = changes.filter(({ replaces }) => replaces?.andLater)
    const replaced = replacedIn(event, changes)
    const found: [LocalTime, LocalTime][] = []
    for (const start of starts) {
      if (this.#left-- === 0) throw new TooMany(TOO_MANY)
      const date = Math.floor(start / DAY) * DAY
      if ([excluded, replaced].some((each) => each.starts.has(start) || each.dates.has(date))) continue
      found.push(movedBy(later, event, start))
    }
    return found
  }

  /** By its rule; ended where it takes too long, since some rules of ical.js never return. */
  #startsBy(rule: ICAL.Recur, event: IcsEvent): LocalTime[] {
    const times = () => {
      const starts: LocalTime[] = []
      const iterator = rule.iterator(icalTime(event.start, event.isAllDay))
      for (let next = iterator.next() as ICAL.Time | null; next; next = iterator.next() as ICAL.Time | null) {
        const start = localOf(next)
        if (start >= this.#to + DAY) break
        if (starts.push(start) > this.#left) throw new TooMany(TOO_MANY)
      }
      return starts
    }
    try {
      if (!mayNeverEnd(rule)) return times()
      return within(times, this.#wasSlow ? LONGEST_RULE.others : LONGEST_RULE.first)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      this.#wasSlow = true
      throw new Error('its RRULE matches no date, or takes too long to read', { cause: error })
    }
  }

  #cover(event: IcsEvent, start: LocalTime, end: LocalTime): void {
    const name = shortened(event.name)
    const { clocks, isAllDay } = event
    if (this.#filter.means === 'asleep') {
      const last = Math.min(end, this.#to)
      for (let day = Math.max(start, this.#from); day < last; day += DAY)
        if (!this.#days.has(day)) this.#days.set(day, name)
      return
    }
    const isFloating = isAllDay || typeof clocks !== 'object'
    const [first, last] = isFloating ? [start, end] : [clocks.instantOf(start), clocks.instantOf(end)]
    if (last <= this.#from || first >= this.#to) return
    const window = { start: first, end: last, isFloating, event: name }
    this.#windows.set(`${first} ${last} ${isFloating} ${name}`, window)
  }
}

class TooMany extends Error {}
const TOO_MANY = `its events recur more than ${MOST_OCCURRENCES} times: give those that began long ago a later start`

/** Only parts that choose among dates can match none. To watch a rule costs a millisecond. */
function mayNeverEnd({ freq, parts }: ICAL.Recur): boolean {
  return Object.keys(parts).some((part) => part !== 'BYDAY' || freq !== 'WEEKLY')
}

const scripts: { work?: () => unknown } = {}
const context = createContext(scripts)

/** The result of `work`, ended by an error with the code ERR_SCRIPT_EXECUTION_TIMEOUT after so many milliseconds. */
function within<Result>(work: () => Result, timeout: number): Result {
  // Only a script can be ended, with all that it calls.
  scripts.work = work
  return runInContext('work()', context, { timeout }) as Result
}

/** The latest versions of events with the same UID: the same feed may have one twice. */
function newest(events: readonly IcsEvent[]): IcsEvent[] {
  const latest = new Map<string, number>()
  for (const { uid, sequence } of events) latest.set(uid, Math.max(sequence, latest.get(uid) ?? 0))
  return events.filter(({ uid, sequence }) => sequence === latest.get(uid))
}

/** An occurrence with its end; moved like the latest change of this and later ones before it. */
function movedBy(changes: readonly IcsEvent[], event: IcsEvent, start: LocalTime): [LocalTime, LocalTime] {
  const length = event.end - event.start
  const [change] = changes
    .flatMap((each) => (each.replaces && each.replaces.time.local <= start ? [each] : []))
    .toSorted((a, b) => (b.replaces?.time.local ?? 0) - (a.replaces?.time.local ?? 0))
  if (!change?.replaces) return [start, start + length]
  const moved = start + change.start - change.replaces.time.local
  return [moved, moved + change.end - change.start]
}

function shortened(name: string): string {
  return printable(name.replaceAll(/\s+/g, ' ')).trim().slice(0, LONGEST_NAME)
}

/** Whether an event counts: each list that is given has a glob that matches, in any case. */
function matcherOf({ summary, categories, description }: EventFilter): (event: IcsEvent) => boolean {
  const any = (globs: readonly string[] | null) => {
    const matches = globMatcher((globs ?? ['*']).map((glob) => glob.toLowerCase()))
    return (texts: readonly string[]) => globs === null || texts.some((text) => matches(text.toLowerCase()))
  }
  const [ofSummary, ofCategories, ofDescription] = [any(summary), any(categories), any(description)]
  return (event) =>
    ofSummary([event.name]) && ofCategories(event.categories) && ofDescription([event.description.trim()])
}

function calendarsOf(text: string): IcsComponent[] {
  if (text.trim() === '') throw new Error('it is empty, or half-written')
  let components: IcsComponent[]
  try {
    // Windows writes a byte order mark.
    components = componentsOf(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`it is no iCalendar file, or half-written: ${(error as Error).message}`, { cause: error })
  }
  const calendars = components.filter(({ name }) => name === 'VCALENDAR')
  if (calendars.length === 0 || calendars.length < components.length)
    throw new Error('it is no iCalendar file: expected a VCALENDAR')
  return calendars
}
