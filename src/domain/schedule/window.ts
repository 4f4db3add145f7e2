/** ISO 8601: Monday is 1, Sunday is 7. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

export const WEEK: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7]

export const MINUTES_OF_DAY = 24 * 60

/** Hours of local time that start on each of these days of the week. */
export interface Window {
  /** Minute of the day, 0 to 1439. */
  readonly start: number
  /** Minute of the day, 0 to 1440, never equal to `start`; below it: of the day after. Over days: any, of `lastDay`. */
  readonly end: number
  /** No day twice, in the order of the week from the first that was given; all seven start on Monday. */
  readonly days: readonly Weekday[]
  /** If it runs over days, for 24 hours or more: the day on which it ends. Then `days` has one, on which it starts. */
  readonly lastDay?: Weekday
}

/**
 * The window from a time of one day to a time of another, at most a week later; within 24 hours it is an ordinary window.
 * undefined: the two are the same.
 */
export function windowOver(first: Weekday, start: number, last: Weekday, end: number): Window | undefined {
  if (first === last && start === end) return undefined
  const minutes = daysFrom(first, last, end < start) * MINUTES_OF_DAY + end - start
  if (minutes < MINUTES_OF_DAY) return { start, end, days: [first] }
  // A whole day.
  if (minutes === MINUTES_OF_DAY && start === 0) return { start, end: MINUTES_OF_DAY, days: [first] }
  return { start, end, days: [first], lastDay: last }
}

/** How many days after the first the last one comes; `isEarlier`: at a time of the day before that of the first. */
function daysFrom(first: Weekday, last: Weekday, isEarlier: boolean): number {
  return first === last && isEarlier ? WEEK.length : (last - first + WEEK.length) % WEEK.length
}

/** A window over days as a window of each of its days; any other as it is. */
export function byDay(window: Window): readonly Window[] {
  const { start, end, days, lastDay } = window
  const [first] = days
  if (lastDay === undefined || first === undefined) return [window]
  const between = daysFrom(first, lastDay, end < start) - 1
  const whole = weekFrom(first).slice(1, between + 1)
  return [
    { start, end: MINUTES_OF_DAY, days: [first] },
    ...(whole.length > 0 ? [{ start: 0, end: MINUTES_OF_DAY, days: whole }] : []),
    ...(end > 0 ? [{ start: 0, end, days: [lastDay] }] : []),
  ]
}

/**
 * The minute of the day that these hours leave out by itself, as `0:00-23:59` does; undefined: none. Everything would
 * stop and start again for it.
 */
export function minuteLeftOut(windows: readonly Window[]): number | undefined {
  const week = MINUTES_OF_DAY * WEEK.length
  const awake = new Uint8Array(week)
  for (const { start, end, days } of windows.flatMap(byDay))
    for (const day of days) {
      const length = end > start ? end - start : end - start + MINUTES_OF_DAY
      const from = (day - 1) * MINUTES_OF_DAY + start
      for (let minute = from; minute < from + length; minute += 1) awake[minute % week] = 1
    }
  const isAlone = (at: number) =>
    awake[at] === 0 && awake[(at + 1) % week] === 1 && awake[(at + week - 1) % week] === 1
  const found = awake.findIndex((_, at) => isAlone(at))
  return found === -1 ? undefined : found % MINUTES_OF_DAY
}

const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** The day of an English name, three letters or whole, in any case. */
export function weekdayNamed(name: string): Weekday | undefined {
  const lower = name.toLowerCase()
  return WEEK.find((day) => [shortName(day), NAMES[day - 1]].some((known) => known?.toLowerCase() === lower))
}

/** A regular expression of those names, for programs that know none; in small letters. */
export const WEEKDAY_PATTERN = `(${NAMES.map((name) => name.toLowerCase().replace(/^(...)(.*)$/, '$1($2)?')).join('|')})`

/** `first` to `last`, both included, past the end of the week where `last` comes before `first`. */
export function weekdays(first: Weekday, last: Weekday): Weekday[] {
  return weekFrom(first).slice(0, ((last - first + 7) % 7) + 1)
}

export function weekFrom(first: Weekday): Weekday[] {
  return [...WEEK.slice(first - 1), ...WEEK.slice(0, first - 1)]
}

/** The text that every answer uses: `8:00-18:00,Mon-Fri;10:00-14:00,Sat`, over days `Mon 7:00-Fri 20:00`. */
export function canonical(windows: readonly Window[]): string {
  return windows.map(windowText).join(';')
}

function windowText({ start, end, days, lastDay }: Window): string {
  const [first] = days
  if (lastDay !== undefined && first !== undefined)
    return `${shortName(first)} ${time(start)}-${shortName(lastDay)} ${time(end)}`
  return [`${time(start)}-${time(end)}`, ...runs(days)].join(',')
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

/** `Mon` */
export function shortName(day: Weekday): string {
  return NAMES[day - 1]?.slice(0, 3) ?? ''
}

function time(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
}
