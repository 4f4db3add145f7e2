import { LRUCache } from 'lru-cache'
import type { Instant } from '../../clock.ts'
import type { Sleep } from '../state.ts'
import { Edges, type Span } from './edges.ts'
import { canonical, InvalidSchedule, parseSchedule } from './syntax.ts'
import { A_TIMEZONE, timezoneFault, Zone } from './zone.ts'

/** An instant at which a schedule changes, and what it changes to. */
export interface Edge {
  readonly at: Instant
  readonly to: Sleep
}

/**
 * A schedule in a zone. Edges are found at least 16 days away. Weekly windows have none further away, except those that
 * cover the whole week: there only a change of the clocks makes a gap.
 */
export interface Schedule {
  /** Canonical: `8:00-18:00,Mon-Fri`. */
  readonly text: string
  /** The IANA name as given. */
  readonly zone: string
  /** Schedules with equal keys have the same edges. */
  readonly key: string
  stateAt(t: Instant): Sleep
  /** The latest edge at or before `t`; undefined: there is none. */
  latestEdge(t: Instant): Edge | undefined
  /** The first edge after `t`; undefined: there is none. */
  nextEdge(t: Instant): Edge | undefined
}

/** An unknown zone. The position is 1, in the zone's name. */
export class InvalidTimezone extends InvalidSchedule {
  override readonly name = 'InvalidTimezone'

  constructor(zone: string) {
    super(timezoneFault(zone) ?? zone, 1, A_TIMEZONE)
  }
}

/** @throws InvalidSchedule for the text, InvalidTimezone for the zone */
export function compileSchedule(text: string, zone: string): Schedule {
  const windows = parseSchedule(text)
  const clocks = Zone.named(zone)
  if (!clocks) throw new InvalidTimezone(zone)
  return new CompiledSchedule(canonical(windows), zone, new Edges(windows, clocks))
}

/** Compiles, and caches up to `limit` schedules, so that workloads with the same one share it. */
export class ScheduleCompiler {
  readonly #known: LRUCache<string, Schedule>

  constructor(limit = 10_000) {
    this.#known = new LRUCache({ max: limit })
  }

  /** As `compileSchedule`; while it is cached, the same object for every text and zone of the same meaning. */
  compile(text: string, zone: string): Schedule {
    const given = keyOf(text, zone)
    const known = this.#known.get(given)
    if (known) return known
    const compiled = compileSchedule(text, zone)
    const shared = this.#known.get(compiled.key) ?? compiled
    this.#known.set(given, shared)
    this.#known.set(shared.key, shared)
    return shared
  }
}

function keyOf(text: string, zone: string): string {
  return `${text} ${zone}`
}

const SPAN = 16 * 24 * 60 * 60_000
/** The present span with its neighbours, and one for any other time. */
const SPANS_KEPT = 4

class CompiledSchedule implements Schedule {
  readonly text: string
  readonly zone: string
  readonly key: string
  readonly #edges: Edges
  /** By their number since the epoch. */
  readonly #spans = new Map<number, Span>()

  constructor(text: string, zone: string, edges: Edges) {
    this.text = text
    this.zone = zone
    this.key = keyOf(text, zone)
    this.#edges = edges
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
    const earlier = this.#span(number - 1)
    return edgeOf(earlier, earlier.edges.length - 1)
  }

  nextEdge(t: Instant): Edge | undefined {
    const number = numberOf(t)
    const span = this.#span(number)
    return edgeOf(span, countUpTo(span.edges, t)) ?? edgeOf(this.#span(number + 1), 0)
  }

  #span(number: number): Span {
    const known = this.#spans.get(number)
    if (known) return known
    const span = this.#edges.between(number * SPAN, (number + 1) * SPAN)
    const [oldest] = this.#spans.keys()
    if (oldest !== undefined && this.#spans.size >= SPANS_KEPT) this.#spans.delete(oldest)
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
