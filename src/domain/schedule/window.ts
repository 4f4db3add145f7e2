/** ISO 8601: Monday is 1, Sunday is 7. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

export const WEEK: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7]

/** Hours of local time that start on each of these days of the week. */
export interface Window {
  /** Minute of the day, 0 to 1439. */
  readonly start: number
  /** Minute of the day, 0 to 1440, never equal to `start`; below it: of the day after. */
  readonly end: number
  /** No day twice, in the order of the week from the first that was given; all seven start on Monday. */
  readonly days: readonly Weekday[]
}

const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** The day of an English name, three letters or whole, in any case. */
export function weekdayNamed(name: string): Weekday | undefined {
  const lower = name.toLowerCase()
  return WEEK.find((day) => [shortName(day), NAMES[day - 1]].some((known) => known?.toLowerCase() === lower))
}

/** `first` to `last`, both included, past the end of the week where `last` comes before `first`. */
export function weekdays(first: Weekday, last: Weekday): Weekday[] {
  return weekFrom(first).slice(0, ((last - first + 7) % 7) + 1)
}

export function weekFrom(first: Weekday): Weekday[] {
  return [...WEEK.slice(first - 1), ...WEEK.slice(0, first - 1)]
}

/** The text that every answer uses: `8:00-18:00,Mon-Fri;10:00-14:00,Sat`. */
export function canonical(windows: readonly Window[]): string {
  return windows
    .map(({ start, end, days }) => [`${time(start)}-${time(end)}`, ...runs(days)].join(','))
    .join(';')
}

function runs(days: readonly Weekday[]): string[] {
  if (days.length === WEEK.length) return []
  const found: { first: Weekday; last: Weekday }[] = []
  for (const day of days) {
    const run = found.at(-1)
    if (run && (run.last % 7) + 1 === day) run.last = day
    else found.push({ first: day, last: day })
  }
  return found.map(({ first, last }) =>
    first === last ? shortName(first) : `${shortName(first)}-${shortName(last)}`,
  )
}

function shortName(day: Weekday): string {
  return NAMES[day - 1]?.slice(0, 3) ?? ''
}

function time(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
}
