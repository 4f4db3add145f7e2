import { expect } from 'chai'
import fc from 'fast-check'
import { wantedBySleepInfos } from '../../../src/import/plan/sleep-info.ts'
import type { SleepTimes } from '../../../src/import/plan/sleep-times.ts'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { KubeGreen, type Times } from './evaluators.ts'

const HOUR = 3_600_000
/** A Monday, 0:00 UTC. */
const FROM = Date.parse('2026-11-23T00:00:00Z')
const info = (weekdays: string, sleepAt: string, wakeUpAt = ''): SleepTimes => ({
  weekdays,
  sleepAt,
  wakeUpAt,
})
const NIGHTS = info('1-5', '20:00', '8:00')

const differs = (...infos: SleepTimes[]) => {
  const wanted = wantedBySleepInfos(infos, FROM)
  expect(wanted.refused).to.equal(undefined)
  return wanted.differs.join('; ')
}

describe('what SleepInfos do to a workload is mapped', () => {
  for (const [what, infos] of Object.entries({
    'one that wakes': [NIGHTS],
    'one that never wakes': [info('1-5', '20:00')],
    'one that sleeps at several times a day': [info('1-5', '12,20:00', '8:00')],
    'one whose wakes include its sleeps: they take turns': [info('*', '*:00', '*:*/30')],
    'two alike': [NIGHTS, info('1-5', '20:00', '08:00')],
    'two that never meet': [NIGHTS, info('1-5', '12:00', '13:00')],
    'two that never wake': [info('1-5', '20:00'), info('6', '9:00')],
  }))
    it(`by ${what}`, () => expect(differs(...infos)).to.equal(''))

  it('hourly sleeps with a wake each half hour are not awake all day', () => {
    const { schedule } = wantedBySleepInfos([info('1', '8-9:00', '8-9:*/30')], FROM)
    expect(compileSchedule(schedule, 'UTC').stateAt(FROM + 8.25 * HOUR)).to.equal('asleep')
    expect(compileSchedule(schedule, 'UTC').stateAt(FROM + 8.75 * HOUR)).to.equal('awake')
  })

  for (const [what, infos, where] of [
    [
      'a minute of sleep that only the second ends, after a weekend that a person ended',
      [info('5', '20:00'), info('1', '7:59', '8:00')],
      /may have it awake from Mon 8:00 on.*Dormouse has it asleep/,
    ],
    [
      'a second one that sleeps later: it would put a woken workload to sleep again',
      [NIGHTS, info('*', '21:00', '7:00')],
      /once a person woke it between Mon 20:00 and Mon 21:00, .* asleep from Mon 21:00 on.*Dormouse has it awake/,
    ],
    [
      'two that sleep at once and wake one after the other: whichever came first counts',
      [NIGHTS, info('1-5', '20:00', '9:00')],
      /may have it asleep from Tue 8:00 on.*Dormouse has it awake/,
    ],
    [
      'one that wakes and one that does not',
      [NIGHTS, info('5', '21:00')],
      /once a person woke it between Fri 20:00 and Fri 21:00, /,
    ],
    [
      'more than can be compared',
      [0, 1, 2, 3, 4, 5].map((at) => info('*', `2${at % 4}:${at}0`, `${at}:00`)),
      /too many/,
    ],
  ] as const)
    it(`never: ${what}`, () => expect(differs(...infos)).to.match(where))

  it('not at all where it is asleep and awake by turns of a week', () => {
    expect(wantedBySleepInfos([info('1', '8:00', '8:00')], FROM).refused).to.include('at the same times')
  })

  it('where their zones have other names for the same clocks', () => {
    const zones = ['Etc/UTC', 'UTC', undefined].map((timeZone) => ({
      ...NIGHTS,
      ...(timeZone && { timeZone }),
    }))
    expect(differs(...zones)).to.equal('')
  })

  it('only where both say the same of each hour, whenever people wake it in between', () => {
    const times = fc.record({
      days: fc.constantFrom('*', '1-5', '0,6', '5', '1'),
      sleep: fc.integer({ min: 0, max: 23 }),
      wake: fc.option(fc.integer({ min: 0, max: 23 })),
    })
    const weeks = fc.array(fc.nat(2 * 168), { maxLength: 6 })
    let compared = 0
    fc.assert(
      fc.property(
        fc.array(times, { minLength: 1, maxLength: 3 }),
        weeks,
        fc.boolean(),
        (all, hands, isReversed) => {
          const infos = all.map(({ days, sleep, wake }) =>
            info(days, `${sleep}:00`, wake === null ? '' : `${wake}:00`),
          )
          const wanted = wantedBySleepInfos(infos, FROM)
          if (wanted.refused !== undefined || wanted.differs.length > 0) return
          compared += 1
          expectSame(all, wanted, new Set(hands), isReversed)
        },
      ),
      { ...propertyRuns(150), seed: 7 },
    )
    expect(compared).to.be.above(0)
  })
})

/** Plays both for two weeks; `hands`: the hours after which a person wakes it, where it is asleep. */
function expectSame(
  all: readonly Times[],
  { schedule: text, timezone, autoWake }: ReturnType<typeof wantedBySleepInfos>,
  hands: ReadonlySet<number>,
  isReversed: boolean,
): void {
  const tool = new KubeGreen(all, isReversed)
  const schedule = compileSchedule(text, timezone)
  let isAwake = true
  for (let hour = 0; hour < 2 * 168; hour++) {
    const at = FROM + hour * HOUR
    tool.pass(Math.floor(hour / 24) % 7, hour % 24)
    const [before, now] = [at - 60_000, at].map((each) => schedule.stateAt(each))
    if (before !== now && (now === 'asleep' || autoWake)) isAwake = now === 'awake'
    expect(tool.isAwake, `${text}, hour ${hour}`).to.equal(isAwake)
    if (hands.has(hour)) isAwake = tool.isAwake = true
  }
}
