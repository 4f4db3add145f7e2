import type { Added } from '../../domain/schedule/calendar.ts'
import type { LocalTime } from '../../domain/schedule/zone.ts'

/** Which events of a file count, and what they mean. A list of globs, of which one has to match; null: all. */
export interface EventFilter {
  readonly summary: readonly string[] | null
  readonly categories: readonly string[] | null
  readonly description: readonly string[] | null
  readonly means: 'asleep' | 'awake'
}

/** The content of a file. */
export interface ReadEvents {
  /** Ascending: the midnights, as clocks in UTC show them, of dates without hours, each with its event's name. */
  readonly days: readonly (readonly [LocalTime, string])[]
  /** By their start: the windows that it adds. */
  readonly windows: readonly Added[]
  /** The parts that do not count, or were read in another way than they were written; for people. */
  readonly notices: readonly string[]
}

/** Reads an iCalendar file. */
export interface Expander {
  /**
   * Its content for the dates from `from` to before `to`. `signal` ends it early.
   * @throws Error for an invalid text; the signal's reason
   */
  expand(
    text: string,
    filter: EventFilter,
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<ReadEvents>
}
