import { expect } from 'chai'
import { assert, boolean, constantFrom, integer, property } from 'fast-check'
import { withWindowUntil } from '../../../src/domain/schedule/awake-until.ts'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { canonical } from '../../../src/domain/schedule/syntax.ts'
import { MINUTE, schedules } from './every-minute.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const DAY = 24 * 60
const START = Date.UTC(2026, 2, 20)

describe('a schedule with a window that has no beginning', () => {
  it('is, minute by minute, awake until its end or by another window, with the edges of that', () => {
    const zones = constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe')
    const ends = integer({ min: 0, max: 6 * DAY }).map((minutes) => START + minutes * MINUTE)
    assert(
      property(schedules, zones, ends, boolean(), (windows, zone, some, touches) => {
        const weekly = compileSchedule(canonical(windows), zone)
        const end = touches ? (weekly.nextEdge(some)?.at ?? some) : some
        const schedule = withWindowUntil(weekly, end)
        const expected = (t: number) => (t < end ? 'awake' : weekly.stateAt(t))
        let next = schedule.nextEdge(START - 1)
        let latest: typeof next
        for (let t = START; t < START + 14 * DAY * MINUTE; t += MINUTE) {
          const state = expected(t)
          if (state !== expected(t - 1)) {
            expect(next).to.deep.equal({ at: t, to: state })
            latest = next
            next = schedule.nextEdge(t)
          }
          if (schedule.stateAt(t) !== state) expect.fail(`${schedule.key} at ${new Date(t).toISOString()}`)
          const found = schedule.latestEdge(t)
          if (t < end) expect(found).to.equal(undefined)
          else expect(found).to.deep.equal(latest)
        }
        expect(next === undefined || next.at >= START + 14 * DAY * MINUTE).to.equal(true)
      }),
      propertyRuns(20),
    )
  }).timeout(60_000)
})
