import { type Transition, type Workload } from './record.ts'
import { hasUnknownHours } from '../../words/state.ts'
import { DATE, format, TIME } from '../../words/time.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const WEEK = 7 * 24 * HOUR

/** A part of the coming week. */
export interface Segment {
  readonly from: number
  readonly to: number
  readonly asleep: boolean
}

export interface Day {
  readonly from: number
  readonly to: number
  /** `Mon 23 Nov` */
  readonly name: string
  /** `8:00–18:00`, in the zone; or in words where it is all or nothing. */
  readonly awake: string
}

/** The week in a sentence, where the plan has no change. */
export function quietWeek(workload: Pick<Workload, 'is_snoozed' | 'reason_values'>): string {
  if (hasUnknownHours(workload)) return 'Its hours are not known here.'
  return `${workload.is_snoozed ? 'Asleep' : 'Awake'} throughout, if nobody acts.`
}

/** The week from `now`, by the plan. */
export function segments(asleepNow: boolean, plan: readonly Transition[], now: number): Segment[] {
  const found: Segment[] = []
  let asleep = asleepNow
  let from = now
  for (const { at, type } of plan) {
    const to = Math.min(Date.parse(at), now + WEEK)
    if ((type === 'snooze') === asleep) continue
    if (to > from) found.push({ from, to, asleep })
    asleep = type === 'snooze'
    from = Math.max(from, to)
  }
  if (from < now + WEEK) found.push({ from, to: now + WEEK, asleep })
  return found
}

const midnights = new Map<string, number[]>()

/** The beginnings of days in a zone within the week from `now`: a day may have 23 or 25 hours. */
export function daysIn(zone: string, now: number): number[] {
  const hour = Math.floor(now / HOUR) * HOUR
  const id = `${zone} ${hour}`
  const known = midnights.get(id)
  if (known) return known
  const dayOf = (at: number) => format(DATE, zone).format(at)
  const found: number[] = []
  for (let at = hour; at < hour + WEEK + HOUR; at += HOUR) {
    if (dayOf(at) === dayOf(at + HOUR)) continue
    let [before, after] = [at, at + HOUR]
    while (after - before > MINUTE) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE
      if (dayOf(middle) === dayOf(before)) before = middle
      else after = middle
    }
    found.push(after)
  }
  if (midnights.size > 500) midnights.clear()
  midnights.set(id, found)
  return found
}

/** Today and the six days after it, in the reader's zone; `midnights`: where they begin and the last one ends. */
export function calendarWeek(now: number): { from: number; to: number; midnights: readonly number[] } {
  const midnights = Array.from({ length: 8 }, (_, day) => {
    const date = new Date(now)
    date.setHours(0, 0, 0, 0)
    return date.setDate(date.getDate() + day)
  })
  return { from: midnights[0] ?? now, to: midnights[7] ?? now, midnights }
}

/** The same days as a table: of each, when it is awake. */
export function days(week: readonly Segment[], zone: string): Day[] {
  const [first] = week
  if (!first) return []
  const bounds = [first.from, ...daysIn(zone, first.from).filter((at) => at > first.from)]
  const time = format(TIME, zone)
  return bounds.slice(0, -1).flatMap((from, index) => {
    const to = bounds[index + 1] ?? from
    if (to <= from) return []
    const awake = week
      .filter((each) => !each.asleep && each.from < to && each.to > from)
      .map((each) => ({ from: Math.max(each.from, from), to: Math.min(each.to, to) }))
    const whole = awake.length === 1 && awake[0]?.from === from && awake[0].to === to
    const words = awake.map((each) => `${time.format(each.from)}–${endTime(each.to, to, time)}`).join(', ')
    return [{ from, to, name: format(DATE, zone).format(from), awake: awakeIn(awake.length, whole, words) }]
  })
}

/** A window that ends with the day ends at 24:00, not at 0:00 of the next. */
function endTime(at: number, endOfDay: number, time: Intl.DateTimeFormat): string {
  const text = time.format(at)
  return at === endOfDay && /^0?0:00$/.test(text) ? '24:00' : text
}

function awakeIn(windows: number, whole: boolean, words: string): string {
  if (windows === 0) return 'asleep'
  return whole ? 'awake' : words
}
