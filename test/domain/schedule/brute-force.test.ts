import { expect } from 'chai'
import { assert, integer, property } from 'fast-check'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { canonical } from '../../../src/domain/schedule/syntax.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { awakeMinutes, DAY, edgesIn, edgesOf, MARGIN, MINUTE, schedules } from './every-minute.ts'
import { walk } from './wall-clock.ts'

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

describe('schedules, against every minute of whole years', function () {
  this.timeout(600_000)

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
          propertyRuns(6),
        )
      })

  it('a window over days is awake from its start to its end, and at no other time of the week', () => {
    const WEEK = 7 * DAY
    const minute = integer({ min: 0, max: WEEK - 1 })
    const monday = Date.UTC(2026, 0, 5)
    assert(
      property(minute, minute, (from, to) => {
        if (from === to) return
        const text = `${placeOf(from)}-${placeOf(to)}`
        const schedule = compileSchedule(text, 'UTC')
        const length = (to - from + WEEK) % WEEK
        for (let at = 0; at < WEEK; at += 7)
          if ((schedule.stateAt(monday + at * MINUTE) === 'awake') !== (at - from + WEEK) % WEEK < length)
            expect.fail(`${text} as ${schedule.text} at ${placeOf(at)}`)
      }),
      propertyRuns(200),
    )
  })
})

/** `Mon 7:00`, of a minute of the week. */
function placeOf(minute: number): string {
  const day = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][Math.floor(minute / DAY)]
  return `${day} ${Math.floor((minute % DAY) / 60)}:${String(minute % 60).padStart(2, '0')}`
}
