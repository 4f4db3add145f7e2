import { expect } from 'chai'
import { array, assert, constantFrom, integer, oneof, property, record, subarray } from 'fast-check'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import type { Edge, Schedule } from '../../../src/domain/schedule/schedule.ts'
import { canonical } from '../../../src/domain/schedule/syntax.ts'
import type { Weekday, Window } from '../../../src/domain/schedule/syntax.ts'
import { walk } from './wall-clock.ts'
import type { WallClock } from './wall-clock.ts'

const MINUTE = 60_000
const DAY = 24 * 60
/** Within this of the ends of what was walked, windows or edges may lie outside it. */
const MARGIN = 40 * DAY

const long = process.env.FUZZ === 'long'
const RUNS = long ? 60 : 6

const ZONES: Record<string, number[]> = {
  UTC: [2024],
  'Europe/Berlin': [2024, 2051],
  'America/New_York': [2007],
  'Australia/Lord_Howe': [2024, 2000],
  'Asia/Kathmandu': [2024],
  'Pacific/Chatham': [2024],
  'Asia/Beirut': [2023],
  'Africa/Cairo': [2010, 2024],
  'Africa/Casablanca': [2024],
  'America/Asuncion': [2023],
  'America/Havana': [2024],
  'America/St_Johns': [2010],
  'Pacific/Apia': [2011],
}
if (long) for (const years of Object.values(ZONES)) years.push(2000, 2038, 2099)

const day = constantFrom<Weekday>(1, 2, 3, 4, 5, 6, 7)
/** Any minute, and often one near those at which clocks change. */
const minuteOfDay = oneof(
  integer({ min: 0, max: DAY - 1 }),
  integer({ min: 0, max: 4 * 60 }),
  integer({ min: 0, max: 16 }).map((quarter) => quarter * 15),
)
const window = record({
  start: minuteOfDay,
  end: oneof(minuteOfDay, constantFrom(DAY)),
  days: oneof(
    subarray<Weekday>([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    constantFrom<Weekday[]>([1, 2, 3, 4, 5, 6, 7]),
    day.map((only) => [only]),
  ),
}).filter(({ start, end }) => start !== end)
const schedules = array(window, { minLength: 1, maxLength: 4 })

/** Whether it is awake, for each minute walked: 1 or 0. */
function awakeMinutes(clock: WallClock, windows: readonly Window[]): Uint8Array {
  const awake = new Uint8Array(clock.minutes)
  for (const midnight of clock.midnights) {
    const weekday = new Date(midnight * MINUTE).getUTCDay()
    for (const { start, end, days } of windows) {
      if (!days.some((each) => each % 7 === weekday)) continue
      const starts = clock.comesAt(midnight + start)
      const ends = clock.comesAt(midnight + end + (end < start ? DAY : 0))
      if (starts < ends) awake.fill(1, starts - clock.from, ends - clock.from)
    }
  }
  return awake
}

function edgesOf(clock: WallClock, awake: Uint8Array): Edge[] {
  const edges: Edge[] = []
  for (let i = MARGIN; i < awake.length - MARGIN; i += 1)
    if (awake[i] !== awake[i - 1])
      edges.push({ at: (clock.from + i) * MINUTE, to: awake[i] ? 'awake' : 'asleep' })
  return edges
}

/** All edges from one to the other, each found forwards, and found again backwards. */
function edgesIn(schedule: Schedule, from: number, to: number): Edge[] {
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

describe('schedules, against every minute of whole years', function () {
  this.timeout(long ? 600_000 : 20_000)

  for (const [zone, years] of Object.entries(ZONES))
    for (const year of years)
      it(`${zone} ${year}`, () => {
        const margin = MARGIN * MINUTE
        const clock = walk(zone, Date.UTC(year) - margin, Date.UTC(year + 1) + margin)
        assert(
          property(schedules, (windows) => {
            const schedule = compileSchedule(canonical(windows), zone)
            const awake = awakeMinutes(clock, windows)
            const edges = edgesIn(schedule, Date.UTC(year), Date.UTC(year + 1))
            expect(edges).to.deep.equal(edgesOf(clock, awake))
            for (let i = MARGIN; i < awake.length - MARGIN; i += 97)
              if ((schedule.stateAt((clock.from + i) * MINUTE) === 'awake') !== (awake[i] === 1))
                expect.fail(`${schedule.key} at ${new Date((clock.from + i) * MINUTE).toISOString()}`)
          }),
          { numRuns: RUNS },
        )
      })
})
