import { expect } from 'chai'
import fc from 'fast-check'
import { wantedBy } from '../../../src/import/plan/downscaler.ts'
import { programOf } from '../../../src/import/plan/program.ts'
import { wantedBySleepInfos } from '../../../src/import/plan/sleep-info.ts'
import type { Wanted } from '../../../src/import/plan/wanted.ts'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { isInGo, isInPy, playedByKubeGreen, textOf, type Hours } from './evaluators.ts'

const MINUTE = 60_000
const WEEK = 7 * 24 * 60 * MINUTE
/** A Monday; no zone of the list changes its clocks in the four weeks from it on. */
const FROM = Date.parse('2026-11-23T12:00:00Z')
const ZONE = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland')
const NO_PROGRAM = programOf([], {}, 'py')

const hours = (zone: string, wraps: boolean): fc.Arbitrary<Hours> =>
  fc
    .record({
      first: fc.nat(6),
      last: fc.nat(6),
      from: fc.nat(1439),
      to: fc.integer({ min: 1, max: 1440 }),
      zone: fc.constant(zone),
    })
    .filter(({ from, to }) => from !== to && (wraps || from < to))
const lists = (wraps: boolean) =>
  ZONE.chain((zone) => fc.tuple(listOf(zone, wraps), listOf(zone, wraps), fc.constant(zone)))
const listOf = (zone: string, wraps: boolean) => fc.array(hours(zone, wraps), { minLength: 1, maxLength: 3 })

/**
 * Compares with the other tool's result at each minute of four weeks; a schedule without hours is asleep in all but one
 * of a day.
 */
function expectSame(wanted: Wanted, isAwake: (at: number) => boolean): void {
  expect(wanted.refused).to.equal(undefined)
  const schedule = compileSchedule(wanted.schedule, wanted.timezone)
  const wrong: string[] = []
  for (let at = FROM; at < FROM + 4 * WEEK; at += MINUTE) {
    const awake = schedule.stateAt(at) === 'awake' && wanted.schedule !== '0:00-0:01'
    if (awake !== isAwake(at)) wrong.push(new Date(at).toISOString())
  }
  expect(wrong.slice(0, 3), `${wanted.schedule} (${wanted.timezone})`).to.deep.equal([])
}

describe('an imported schedule says of each minute of four weeks what the other tool says', function () {
  this.timeout(60_000)
  // A run compares 40,320 minutes.
  const runs = propertyRuns(6)

  it('py-kube-downscaler: within the uptime, and not within the downtime', () => {
    fc.assert(
      fc.property(lists(false), ([up, down]) => {
        const workload = { uptime: up.map(textOf).join(', '), downtime: down.map(textOf).join(',') }
        const wanted = wantedBy('py', { workload, namespace: {}, program: NO_PROGRAM }, FROM)
        const isIn = (list: readonly Hours[], at: number) => list.some((each) => isInPy(at, each))
        expectSame(wanted, (at) => isIn(up, at) && !isIn(down, at))
      }),
      runs,
    )
  })

  it('GoKubeDownscaler: outside of the downtime, which may run past midnight', () => {
    fc.assert(
      fc.property(lists(true), ([down]) => {
        const workload = { downtime: down.map(textOf).join(', ') }
        const wanted = wantedBy('go', { workload, namespace: {}, program: NO_PROGRAM }, FROM)
        expectSame(wanted, (at) => !down.some((each) => isInGo(at, each)))
      }),
      runs,
    )
  })

  it('GoKubeDownscaler: within the uptime', () => {
    fc.assert(
      fc.property(lists(true), ([up]) => {
        const workload = { uptime: up.map(textOf).join(', ') }
        const wanted = wantedBy('go', { workload, namespace: {}, program: NO_PROGRAM }, FROM)
        expectSame(wanted, (at) => up.some((each) => isInGo(at, each)))
      }),
      runs,
    )
  })

  it('is refused where its zone is an abbreviation that ICU takes for another continent', () => {
    const uptime = { workload: { uptime: 'Mon-Fri 08:00-18:00 BST' }, namespace: {}, program: NO_PROGRAM }
    expect(wantedBy('go', uptime, FROM).refused).to.include("'BST' is no zone that the tool reads")
    const info = { weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00', timeZone: 'IST' }
    expect(wantedBySleepInfos([info], FROM).refused).to.equal("'IST' is no time zone")
  })

  it('kube-green: as its latest change left it', () => {
    const info = fc
      .record({
        days: fc.uniqueArray(fc.nat(6), { minLength: 1 }),
        sleep: fc.nat(1439),
        wake: fc.nat(1439),
      })
      .filter(({ sleep, wake }) => sleep !== wake)
    fc.assert(
      fc.property(info, ZONE, (each, timeZone) => {
        const at = (minute: number) => `${Math.floor(minute / 60)}:${minute % 60}`
        const weekdays = each.days.map((day) => (day + 1) % 7).join(',')
        const times = { weekdays, sleepAt: at(each.sleep), wakeUpAt: at(each.wake), timeZone }
        const awake = new Map<number, boolean>()
        // Starts a week earlier, so that its last action is known.
        for (const [when, state] of playedByKubeGreen(each, timeZone, FROM - WEEK)) {
          if (when >= FROM + 4 * WEEK) break
          awake.set(when, state)
        }
        expectSame(wantedBySleepInfos([times], FROM), (when) => awake.get(when) ?? false)
      }),
      runs,
    )
  })
})
