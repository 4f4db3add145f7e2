import { expect } from 'chai'
import { array, constantFrom, integer, oneof, record, subarray } from 'fast-check'
import type { Edge, Schedule } from '../../../src/domain/schedule/schedule.ts'
import type { Weekday, Window } from '../../../src/domain/schedule/syntax.ts'
import { windowOver } from '../../../src/domain/schedule/window.ts'
import type { WallClock } from './wall-clock.ts'

export const MINUTE = 60_000
export const DAY = 24 * 60
/** Within this distance of the walk's ends, windows or edges may lie outside it. */
export const MARGIN = 40 * DAY

const day = constantFrom<Weekday>(1, 2, 3, 4, 5, 6, 7)
/** Any minute, and often one near those at which clocks change. */
const minuteOfDay = oneof(
  integer({ min: 0, max: DAY - 1 }),
  integer({ min: 0, max: 4 * 60 }),
  integer({ min: 0, max: 16 }).map((quarter) => quarter * 15),
)
export const window = record({
  start: minuteOfDay,
  end: oneof(minuteOfDay, constantFrom(DAY)),
  days: oneof(
    subarray<Weekday>([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    constantFrom<Weekday[]>([1, 2, 3, 4, 5, 6, 7]),
    day.map((only) => [only]),
  ),
}).filter(({ start, end }) => start !== end)
/** Over days, from a minute of one day to one of another; at most a week. */
const windowOverDays = record({
  first: day,
  start: minuteOfDay,
  last: day,
  end: oneof(minuteOfDay, constantFrom(DAY)),
})
  .filter(({ first, last, start, end }) => first !== last || start !== end)
  .map(({ first, start, last, end }) => windowOver(first, start, last, end))
  .filter((made) => made !== undefined)
export const schedules = array(oneof({ weight: 3, arbitrary: window }, windowOverDays), {
  minLength: 1,
  maxLength: 4,
})

export type Hours = Pick<Window, 'start' | 'end'>

/** Whether it is awake, for each minute walked: 1 or 0. `hoursOn`: the hours of a date, by its midnight in minutes. */
export function awakeMinutes(
  clock: WallClock,
  windows: readonly Window[],
  hoursOn: (midnight: number) => readonly Hours[] | undefined = () => undefined,
): Uint8Array {
  const awake = new Uint8Array(clock.minutes)
  for (const midnight of clock.midnights) {
    const weekday = new Date(midnight * MINUTE).getUTCDay()
    const usual = windows.flatMap((each) => hoursOfDay(each, weekday))
    for (const { start, end } of hoursOn(midnight) ?? usual) {
      const starts = clock.comesAt(midnight + start)
      const ends = clock.comesAt(midnight + end + (end < start ? DAY : 0))
      if (starts < ends) awake.fill(1, starts - clock.from, ends - clock.from)
    }
  }
  return awake
}

/** The hours of a window that start on a day of the week, 0 to 6; over days, those of that day alone. */
function hoursOfDay({ start, end, days, lastDay }: Window, weekday: number): Hours[] {
  if (lastDay === undefined) return days.some((each) => each % 7 === weekday) ? [{ start, end }] : []
  const since = (weekday - (days[0] ?? 0) + 14) % 7
  const last = (lastDay - (days[0] ?? 0) + 7) % 7
  const found: Hours[] = []
  // From a day to the same day of the next week it is there twice.
  if (since === 0) found.push({ start, end: DAY })
  if (since === 0 && last === 0) found.push({ start: 0, end })
  if (since > 0 && (last === 0 || since < last)) found.push({ start: 0, end: DAY })
  if (since > 0 && since === last) found.push({ start: 0, end })
  return found.filter((each) => each.start !== each.end)
}

export function edgesOf(clock: WallClock, awake: Uint8Array): Edge[] {
  const edges: Edge[] = []
  for (let i = MARGIN; i < awake.length - MARGIN; i += 1)
    if (awake[i] !== awake[i - 1])
      edges.push({ at: (clock.from + i) * MINUTE, to: awake[i] ? 'awake' : 'asleep' })
  return edges
}

/** The edges after the first instant and up to the last, as `2024-03-31T01:30 awake`, in UTC. */
export function edges(schedule: Schedule, after: string, upTo: string): string[] {
  const found: string[] = []
  let edge = schedule.nextEdge(Date.parse(`${after}Z`))
  while (edge && edge.at <= Date.parse(`${upTo}Z`)) {
    found.push(`${new Date(edge.at).toISOString().slice(0, 16)} ${edge.to}`)
    edge = schedule.nextEdge(edge.at)
  }
  return found
}

/** All edges from one to the other, each found forwards, and found again backwards. */
export function edgesIn(schedule: Schedule, from: number, to: number): Edge[] {
  const found: Edge[] = []
  // a step at a time, since a schedule may have none for as long as it looks ahead
  for (let t = from - 1; t < to;) {
    const next = schedule.nextEdge(t)
    t = Math.min(next?.at ?? Infinity, t + 10 * DAY * MINUTE)
    const latest = schedule.latestEdge(t)
    if (next?.at === t) {
      found.push(next)
      expect(latest).to.deep.equal(next)
      expect(schedule.latestEdge(t - 1)?.at ?? -Infinity).to.be.below(t)
    } else if (latest && latest.at >= from) expect(latest).to.deep.equal(found.at(-1))
  }
  return found.filter(({ at }) => at < to)
}
