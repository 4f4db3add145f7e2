import { MINUTES_OF_DAY, WEEK, weekdayNamed, type Weekday } from '../../domain/schedule/window.ts'

/** The times of a SleepInfo of kube-green (`kube-green.com/v1alpha1`). */
export interface SleepTimes {
  readonly weekdays: string
  /** `20:00`, each part a field of cron. */
  readonly sleepAt: string
  readonly wakeUpAt?: string
  /** Undefined: UTC. */
  readonly timeZone?: string
}

/** When a SleepInfo acts, in minutes of the week from Monday 0:00. */
export interface Timer {
  readonly sleeps: ReadonlySet<number>
  /** Empty: it never wakes. */
  readonly wakes: ReadonlySet<number>
}

/** Reads the times of a SleepInfo; a string says what cannot be read. */
export function timerOf({ weekdays, sleepAt, wakeUpAt }: SleepTimes): Timer | string {
  const days = daysOf(weekdays)
  const sleeps = timesOf(sleepAt)
  const wakes = wakeUpAt ? timesOf(wakeUpAt) : new Set<number>()
  if (!days) return `weekdays '${weekdays}' cannot be read`
  if (!sleeps) return `sleepAt '${sleepAt}' cannot be read`
  if (!wakes) return `wakeUpAt '${wakeUpAt}' cannot be read`
  const on = (times: ReadonlySet<number>) =>
    new Set([...days].flatMap((day) => [...times].map((minute) => (day - 1) * MINUTES_OF_DAY + minute)))
  return { sleeps: on(sleeps), wakes: on(wakes) }
}

/** Reads cron's field for days, in which 0 and 7 are Sunday. */
function daysOf(text: string): Set<Weekday> | undefined {
  const numbers = text.replaceAll(/[a-z]{3}/gi, (name) => {
    const day = weekdayNamed(name)
    return day === undefined ? name : `${day % 7}`
  })
  const found = field(numbers, 0, 7)
  return found && new Set([...found].map((day) => WEEK[(day + 6) % 7] ?? 1))
}

/** Minutes of the day of `20:00` or `8,20:0`, whose parts are fields of cron. */
function timesOf(text: string): Set<number> | undefined {
  const [hours, minutes, ...more] = text.trim().split(':')
  const [ofHours, ofMinutes] = [field(hours ?? '', 0, 23), field(minutes ?? '', 0, 59)]
  if (!ofHours || !ofMinutes || more.length > 0) return undefined
  return new Set([...ofHours].flatMap((hour) => [...ofMinutes].map((minute) => hour * 60 + minute)))
}

/** The numbers of a field of cron, such as `1-5`, `1,3` or `1-59/2`. */
function field(text: string, least: number, most: number): Set<number> | undefined {
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const [, range, from, to, step] =
      /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part.trim()) ?? []
    if (range === undefined) return undefined
    const first = from === undefined ? least : Number(from)
    // `5/10` runs on to the end of the range.
    const last = to === undefined ? (from === undefined || step !== undefined ? most : first) : Number(to)
    const by = Number(step ?? 1)
    if (first < least || last > most || last < first || by < 1) return undefined
    for (let number = first; number <= last; number += by) found.add(number)
  }
  return found
}
