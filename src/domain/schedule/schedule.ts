import { LRUCache } from 'lru-cache'
import type { Instant } from '../../process/clock.ts'
import { calendarEffect, type Replaced } from './calendar-effect.ts'
import { calendarOn, findCalendars, NO_CALENDARS, type Calendar, type Calendars } from './calendar.ts'
import { addedIntervals, Edges, type Span } from './edges.ts'
import { InvalidSchedule, parseSchedule } from './syntax.ts'
import { canonical, type Window } from './window.ts'
import { A_TIMEZONE, timezoneFault, Zone, type LocalTime } from './zone.ts'

export const SLEEP_STATES = ['awake', 'asleep'] as const
export type Sleep = (typeof SLEEP_STATES)[number]

/** An instant at which a schedule changes, with the new state. */
export interface Edge {
  readonly at: Instant
  readonly to: Sleep
}

/**
 * A schedule in a zone, with its calendars. Edges are found at least 16 days away. Weekly windows have none further away,
 * except those that cover the whole week: there only a change of the clocks makes a gap. Calendars can keep a workload as
 * it is for longer: with them edges are found at least a year away, and none beyond 400 days.
 */
export interface Schedule {
  /** Canonical: `8:00-18:00,Mon-Fri`. */
  readonly text: string
  /** The IANA name as given. */
  readonly zone: string
  /** The names of its calendars, the first that has a date counts: `de-be,company`; '': none. */
  readonly calendar: string
  /** Schedules with equal keys have the same edges. */
  readonly key: string
  stateAt(t: Instant): Sleep
  /** The latest edge at or before `t`; undefined: there is none. */
  latestEdge(t: Instant): Edge | undefined
  /** The first edge after `t`; undefined: there is none. */
  nextEdge(t: Instant): Edge | undefined
  /** The hours that calendars replace on the date of `t`, or so many days after it; undefined: none. */
  replacedOn(t: Instant, daysAfter: number): Replaced | undefined
  /** The event of a calendar that adds hours at `t`, or else replaces those of its date; undefined: none that has a name. */
  eventAt(t: Instant): string | undefined
}

/** An unknown zone. The position is 1, in the zone's name. */
export class InvalidTimezone extends InvalidSchedule {
  override readonly name = 'InvalidTimezone'

  constructor(zone: string) {
    super(timezoneFault(zone) ?? zone, 1, A_TIMEZONE)
  }
}

/** @throws InvalidSchedule for the text, InvalidTimezone for the zone */
export function compileSchedule(text: string, zone: string, calendars: readonly Calendar[] = []): Schedule {
  const windows = parseSchedule(text)
  const clocks = Zone.named(zone)
  if (!clocks) throw new InvalidTimezone(zone)
  return new CompiledSchedule(windows, zone, clocks, calendars)
}

/**
 * Compiles, and caches up to `limit` schedules, so that workloads with the same one share it. Of schedules with many
 * windows it keeps fewer: each has edges to remember, and anybody who may annotate a workload can write others all day.
 */
export class ScheduleCompiler {
  readonly #known: LRUCache<string, Schedule>
  readonly #calendars: Calendars

  constructor(limit = 10_000, calendars: Calendars = NO_CALENDARS) {
    this.#known = new LRUCache({ max: limit, maxSize: SIZE_OF_EACH * limit, sizeCalculation: sizeOf })
    this.#calendars = calendars
  }

  /**
   * As `compileSchedule`; while it is cached, the same object for every text, zone and list of calendars of the same
   * meaning, until one of the calendars changes.
   * @throws InvalidSchedule, InvalidTimezone, InvalidCalendar
   */
  compile(text: string, zone: string, calendar = ''): Schedule {
    const calendars = calendar === '' ? NONE : findCalendars(calendar, this.#calendars)
    const given = keyOf(text, zone, calendars)
    const known = this.#known.get(given)
    if (known) return known
    const compiled = compileSchedule(text, zone, calendars)
    const shared = this.#known.get(compiled.key) ?? compiled
    this.#known.set(given, shared)
    this.#known.set(shared.key, shared)
    return shared
  }
}

const NONE: readonly Calendar[] = []

/** Windows that the schedules of a full cache have, each of them on average. */
const SIZE_OF_EACH = 4

/** In windows; a schedule without any needs the memory of two. */
function sizeOf({ text }: Schedule): number {
  return 2 + text.split(';').length
}

function keyOf(text: string, zone: string, calendars: readonly Calendar[]): string {
  const weekly = `${text} ${zone}`
  return calendars.length === 0 ? weekly : `${weekly} ${calendars.map(({ key }) => key).join(',')}`
}

const DAY = 24 * 60 * 60_000
const SPAN = 16 * DAY
/** How many spans after the present one are searched for an edge; with calendars, a year. */
const REACH = { weekly: 1, withCalendars: 23 }
/** How many spans are kept: the present one with its neighbours, and one for any other time; with calendars, three searches. */
const SPANS_KEPT = { weekly: 4, withCalendars: 72 }

class CompiledSchedule implements Schedule {
  readonly text: string
  readonly zone: string
  readonly calendar: string
  readonly key: string
  readonly #edges: Edges
  readonly #clocks: Zone
  readonly #calendars: readonly Calendar[]
  readonly #reach: number
  readonly #spansKept: number
  /** By their number since the epoch. */
  readonly #spans = new Map<number, Span>()

  constructor(windows: readonly Window[], zone: string, clocks: Zone, calendars: readonly Calendar[]) {
    const search = calendars.length === 0 ? 'weekly' : 'withCalendars'
    this.text = canonical(windows)
    this.zone = zone
    this.calendar = calendars.map(({ name }) => name).join(',')
    this.key = keyOf(this.text, zone, calendars)
    this.#edges = new Edges(windows, clocks, calendars)
    this.#clocks = clocks
    this.#calendars = calendars
    this.#reach = REACH[search]
    this.#spansKept = SPANS_KEPT[search]
  }

  stateAt(t: Instant): Sleep {
    const span = this.#span(numberOf(t))
    return stateAfter(span, countUpTo(span.edges, t))
  }

  latestEdge(t: Instant): Edge | undefined {
    const number = numberOf(t)
    const span = this.#span(number)
    const count = countUpTo(span.edges, t)
    if (count > 0) return edgeOf(span, count - 1)
    for (let back = 1; back <= this.#reach; back += 1) {
      const earlier = this.#span(number - back)
      if (earlier.edges.length > 0) return edgeOf(earlier, earlier.edges.length - 1)
    }
    return undefined
  }

  nextEdge(t: Instant): Edge | undefined {
    const number = numberOf(t)
    const span = this.#span(number)
    let edge = edgeOf(span, countUpTo(span.edges, t))
    for (let ahead = 1; !edge && ahead <= this.#reach; ahead += 1)
      edge = edgeOf(this.#span(number + ahead), 0)
    return edge
  }

  replacedOn(t: Instant, daysAfter: number): Replaced | undefined {
    if (this.#calendars.length === 0) return undefined
    return calendarEffect(this.text, this.#calendars, this.#dateOf(t) + daysAfter * DAY, 1)[0]
  }

  eventAt(t: Instant): string | undefined {
    if (this.#calendars.length === 0) return undefined
    const added = addedIntervals(this.#calendars, this.#clocks, t, t)
    const adding = added.filter(({ start, end }) => start <= t && t < end)
    const today = this.#dateOf(t)
    const replacing = calendarOn(this.#calendars, today)
    return (adding.length > 0 ? adding[0]?.event : replacing?.eventOn?.(today)) || undefined
  }

  /** Its midnight. */
  #dateOf(t: Instant): LocalTime {
    return Math.floor((t + this.#clocks.offsetAt(t)) / DAY) * DAY
  }

  #span(number: number): Span {
    const known = this.#spans.get(number)
    if (known) return known
    const span = this.#edges.between(number * SPAN, (number + 1) * SPAN)
    const [oldest] = this.#spans.keys()
    if (oldest !== undefined && this.#spans.size >= this.#spansKept) this.#spans.delete(oldest)
    this.#spans.set(number, span)
    return span
  }
}

function numberOf(t: Instant): number {
  return Math.floor(t / SPAN)
}

/** How many of these ascending instants are at or before `t`. */
function countUpTo(edges: Float64Array, t: Instant): number {
  let low = 0
  let high = edges.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((edges[middle] ?? Infinity) <= t) low = middle + 1
    else high = middle
  }
  return low
}

function stateAfter(span: Span, edges: number): Sleep {
  return span.awakeBefore === (edges % 2 === 0) ? 'awake' : 'asleep'
}

function edgeOf(span: Span, index: number): Edge | undefined {
  const at = span.edges[index]
  return at === undefined ? undefined : { at, to: stateAfter(span, index + 1) }
}
