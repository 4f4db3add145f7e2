import { expect } from 'chai'
import { array, assert, boolean, constantFrom, integer, oneof, property, record } from 'fast-check'
import { calendarOf, dateOf, hoursOn } from '../../../src/domain/schedule/calendar.ts'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { canonical } from '../../../src/domain/schedule/syntax.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { awakeMinutes, DAY, edgesIn, edgesOf, MARGIN, MINUTE, schedules, window } from './every-minute.ts'
import type { Hours } from './every-minute.ts'
import { walk } from './wall-clock.ts'

/** With the days of the year at which clocks change there. */
const ZONES: Record<string, { year: number; changes: number[] }> = {
  UTC: { year: 2024, changes: [0] },
  'Europe/Berlin': { year: 2024, changes: [90, 300] },
  'America/New_York': { year: 2025, changes: [67, 305] },
  'Australia/Lord_Howe': { year: 2024, changes: [97, 279] },
  'Africa/Cairo': { year: 2024, changes: [116, 305] },
  'America/Havana': { year: 2024, changes: [69, 307] },
  'Pacific/Apia': { year: 2011, changes: [92, 267, 363] },
}

/** Hours of a date: often none, often overnight. */
const hours = oneof(
  constantFrom<Hours[]>([], [{ start: 22 * 60, end: 6 * 60 }], [{ start: 0, end: DAY }]),
  array(window, { minLength: 1, maxLength: 2 }),
)

/** Stretches of days of a year, counted from 0; of two for one day the later counts. */
const calendars = (changes: readonly number[]) =>
  array(
    array(
      record({
        from: oneof(
          integer({ min: 0, max: 364 }),
          constantFrom(...changes.flatMap((day) => [day - 1, day, day + 1])),
        ),
        days: oneof(integer({ min: 1, max: 3 }), integer({ min: 1, max: 80 })),
        hours,
      }),
      { minLength: 1, maxLength: 12 },
    ),
    { minLength: 1, maxLength: 3 },
  )

/** Windows that a calendar adds: at a minute of the year, for so many minutes, by the clocks of the zone or in UTC. */
const additions = array(
  record({
    from: integer({ min: -20 * DAY, max: 366 * DAY }),
    minutes: oneof(integer({ min: 1, max: 600 }), integer({ min: 1, max: 30 * DAY })),
    isFloating: boolean(),
  }),
  { maxLength: 8 },
)

function textOf(given: readonly Hours[]): string {
  if (given.length === 0) return ''
  return canonical(given.map(({ start, end }) => ({ start, end, days: [1, 2, 3, 4, 5, 6, 7] })))
}

describe('schedules with calendars, against every minute of whole years', function () {
  this.timeout(600_000)

  for (const [zone, { year, changes }] of Object.entries(ZONES))
    it(`${zone} ${year}`, () => {
      const margin = MARGIN * MINUTE
      const first = Date.UTC(year)
      const end = Date.UTC(year + 1)
      const clock = walk(zone, first - margin, end + margin)
      assert(
        property(schedules, calendars(changes), additions, (windows, given, more) => {
          const dates = given.map((stretches) => {
            const hoursOfDate = new Map<number, readonly Hours[]>()
            for (const stretch of stretches)
              for (let day = 0; day < stretch.days; day += 1)
                hoursOfDate.set(first / MINUTE + (stretch.from + day) * DAY, stretch.hours)
            return hoursOfDate
          })
          const made = dates.map((each, index) =>
            calendarOf(
              `c${index}`,
              Object.fromEntries([...each].map(([at, of]) => [dateOf(at * MINUTE), textOf(of)])),
            ),
          )
          const added = more.map(({ from, minutes, isFloating }, index) => {
            const start = first + from * MINUTE
            return { start, end: start + minutes * MINUTE, isFloating, event: `e${index}` }
          })
          const adding = calendarOf('more', {}, { windows: added, means: 'awake' })
          const schedule = compileSchedule(canonical(windows), zone, [...made, adding])
          const awake = awakeMinutes(clock, windows, (midnight) =>
            dates.find((each) => each.has(midnight))?.get(midnight),
          )
          for (const { start, end, isFloating } of added) {
            const [from, to] = [start, end].map((at) =>
              isFloating ? clock.comesAt(at / MINUTE) : at / MINUTE,
            ) as [number, number]
            if (from < to) awake.fill(1, from - clock.from, to - clock.from)
            const middle = Math.floor((from + to) / 2) * MINUTE
            if (from < to) expect(schedule.eventAt(middle)).to.match(/^e\d$/)
          }
          expect(edgesIn(schedule, first, end)).to.deep.equal(edgesOf(clock, awake))
          for (let i = MARGIN; i < awake.length - MARGIN; i += 97)
            if ((schedule.stateAt((clock.from + i) * MINUTE) === 'awake') !== (awake[i] === 1))
              expect.fail(`${schedule.key} at ${new Date((clock.from + i) * MINUTE).toISOString()}`)
          expect(hoursOn(made, first - 100 * DAY * MINUTE)).to.equal(undefined)
        }),
        propertyRuns(6),
      )
    })
})
