import { expect } from 'chai'
import fc from 'fast-check'
import type { Instant } from '../../../src/process/clock.ts'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { canonical } from '../../../src/domain/schedule/syntax.ts'
import { at, DAY, HOUR, iso, MINUTE, RULES } from '../../support/rules.ts'
import { ModelCluster } from '../model.ts'
import { schedules } from '../schedule/every-minute.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const WEEK = '7:00-20:00,Mon-Fri'
const FRIDAY = at('Fri 23:00')
const SETTLED = at('Mon 0:00')

/** A workload with these hours, which somebody puts to sleep; then awake-until is set. */
function snoozed(
  schedule: string,
  asked: Instant,
  until: Instant,
  {
    limit,
    autoWake = true,
    first = 'snooze',
  }: { limit?: number; autoWake?: boolean; first?: 'snooze' | 'until' } = {},
): ModelCluster {
  const cluster = new ModelCluster('deployments', SETTLED, RULES)
  cluster.annotate('enabled', 'true')
  cluster.annotate('schedule', schedule)
  if (!autoWake) cluster.annotate('autoWake', 'false')
  cluster.settle()
  cluster.wait(asked - SETTLED)
  const keep = () => cluster.annotate('awakeUntil', iso(until))
  if (first === 'until') keep()
  cluster.settle()
  // A sleeper continues the schedule's sleep, and nobody's snooze.
  if (cluster.isAsleep) cluster.request({ action: 'wake' })
  cluster.request({ action: 'snooze', ...(limit === undefined ? {} : { for: limit }) })
  keep()
  cluster.settle()
  return cluster
}

/** When it wakes and sleeps from then on, until the Sunday. */
function transitions(cluster: ModelCluster): string[] {
  const before = cluster.transitions.length
  cluster.wait(at('Sun 12:00') - cluster.now)
  return cluster.transitions
    .slice(before)
    .map((each) => `${each.type} ${new Date(each.at).toISOString().slice(8, 16)}`)
}

const SLEEPS_FRIDAY = 'snooze 06T23:00'

describe('what a person put to sleep, under awake-until', () => {
  const rows: [what: string, cluster: () => ModelCluster, expected: string[]][] = [
    [
      'in a night: wakes at the end of that night',
      () => snoozed(WEEK, at('Mon 22:00'), FRIDAY),
      ['wake 03T07:00', SLEEPS_FRIDAY],
    ],
    [
      'at noon: wakes at the edge that would have ended it',
      () => snoozed(WEEK, at('Mon 12:00'), FRIDAY),
      ['wake 02T20:00', SLEEPS_FRIDAY],
    ],
    [
      'while awake-until alone keeps it awake: for the rest of the night',
      () => snoozed(WEEK, at('Tue 23:00'), FRIDAY, { first: 'until' }),
      ['wake 04T07:00', SLEEPS_FRIDAY],
    ],
    [
      'for two hours: wakes after them',
      () => snoozed(WEEK, at('Mon 22:00'), FRIDAY, { limit: 2 * HOUR }),
      ['wake 03T00:00', SLEEPS_FRIDAY],
    ],
    [
      'where it ends before that edge: wakes at the edge all the same',
      () => snoozed(WEEK, at('Mon 22:00'), at('Tue 1:00')),
      [
        'wake 03T07:00',
        'snooze 03T20:00',
        'wake 04T07:00',
        'snooze 04T20:00',
        'wake 05T07:00',
        'snooze 05T20:00',
        'wake 06T07:00',
        'snooze 06T20:00',
      ],
    ],
    [
      'whose schedule only puts to sleep: wakes at its next edge to sleep',
      () => snoozed(WEEK, at('Mon 22:00'), FRIDAY, { autoWake: false }),
      ['wake 03T20:00', SLEEPS_FRIDAY],
    ],
    ['in a weekend longer than awake-until: stays asleep', () => snoozed(WEEK, at('Fri 22:00'), FRIDAY), []],
  ]
  for (const [what, cluster, expected] of rows)
    it(what, () => {
      const made = cluster()
      expect(made.isAsleep).to.equal(true)
      expect(transitions(made)).to.deep.equal(expected)
    })

  it('stays, minute by minute, until the first edge of its own hours, and then follows the window', () => {
    const minute = fc.integer({ min: 0, max: 3 * 24 * 60 })
    fc.assert(
      fc.property(schedules, minute, minute, fc.boolean(), (windows, some, more, isFirst) => {
        const schedule = canonical(windows)
        const [asked, end] = [SETTLED + (some + 1) * MINUTE, SETTLED + (some + more + 2) * MINUTE]
        const cluster = snoozed(schedule, asked, end, { first: isFirst ? 'until' : 'snooze' })
        const weekly = compileSchedule(schedule, 'UTC')
        let ended = false
        for (let t = asked + MINUTE; t < asked + 4 * DAY; t += MINUTE) {
          cluster.wait(MINUTE)
          ended ||= weekly.stateAt(t) !== weekly.stateAt(t - MINUTE)
          const expected: string = !ended ? 'asleep' : t < end ? 'awake' : weekly.stateAt(t)
          if (cluster.isAsleep !== (expected === 'asleep'))
            expect.fail(`${schedule}, asked ${iso(asked)}, until ${iso(end)}: not ${expected} at ${iso(t)}`)
        }
      }),
      propertyRuns(25),
    )
  }).timeout(60_000)
})
