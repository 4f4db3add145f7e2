import { expect } from 'chai'
import { decide } from '../../../src/domain/deciding/decide.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { plannedTransitions } from '../../../src/domain/records/plan.ts'
import { nextTransition } from '../../../src/domain/deciding/foresight.ts'
import { rescheduled } from '../../../src/domain/deciding/rescheduled.ts'
import { Situation, situationOf } from '../../../src/domain/deciding/situation.ts'
import { decided } from '../../support/decisions.ts'
import { read } from '../../support/readable.ts'
import { calendarOf } from '../../../src/domain/schedule/calendar.ts'
import { at, calendarsOf, DAY, HOUR, iso, RULES, rulesWith } from '../../support/rules.ts'
import { asleep, awake, WORK } from '../fixtures.ts'

const HOLIDAYS = rulesWith(
  {},
  calendarsOf({
    de: { '2026-03-03': '' },
    late: { '2026-03-03': '10:00-12:00' },
    closed: { '2026-01-01..2030-12-31': '' },
    broken: '/etc/dormouse/company.ics is missing',
  }),
)

describe('a calendar of a workload', () => {
  const worked = asleep.annotated({ calendar: 'de' })

  it('keeps it asleep on its dates, and the reason names it', () => {
    const { action, reason } = decided(worked, at('Tue 9:00'), HOLIDAYS)
    expect(action).to.equal('none')
    expect(reason.text).to.equal(
      `asleep by schedule ${WORK} (UTC, calendar de) until ${iso(at('Wed 8:00')).replace('.000Z', 'Z')}`,
    )
    expect(nextTransition(read(worked, HOLIDAYS), at('Mon 20:00'), HOLIDAYS)?.at).to.equal(at('Wed 8:00'))
  })

  it('gives the reason the name of its event, while that counts', () => {
    const day = Date.UTC(2026, 2, 3)
    const windows = [{ start: day + 20 * HOUR, end: day + 22 * HOUR, isFloating: true, event: 'Release 12' }]
    const known = new Map([
      ['off', calendarOf('off', {}, { days: [[day, 'Teapot Day']] })],
      ['up', calendarOf('up', {}, { windows, means: 'awake' })],
    ])
    const rules = rulesWith({}, { find: (name) => known.get(name), names: [] })
    const named = asleep.annotated({ calendar: 'off,up' })
    const reasonAt = (time: string) => decided(named, at(time), rules).reason
    expect(reasonAt('Tue 9:00').text).to.include('(UTC, calendar off,up: Teapot Day) until ')
    expect(reasonAt('Tue 9:00').values).to.include({ calendar: 'off,up', event: 'Teapot Day' })
    expect(reasonAt('Tue 21:00').text).to.match(/^awake by .*calendar off,up: Release 12\) until /)
    expect(reasonAt('Mon 21:00').text).to.include('(UTC, calendar off,up) until ')
    expect(reasonAt('Mon 21:00').values).not.to.have.property('event')
  })

  it('is taken from the first name in the list that has the date', () => {
    const late = asleep.annotated({ calendar: 'late, de' })
    expect(decided(late, at('Tue 11:00'), HOLIDAYS).action).to.equal('wake')
    expect(decided(asleep.annotated({ calendar: 'de,late' }), at('Tue 11:00'), HOLIDAYS).action).to.equal(
      'none',
    )
  })

  it('of no hours for years is searched for a year, and looked at again in a year', () => {
    const closed = asleep.annotated({ calendar: 'closed' })
    const { reason, lookAgainAt } = decided(closed, at('Tue 11:00'), HOLIDAYS)
    expect(reason.text).to.equal(`asleep by schedule ${WORK} (UTC, calendar closed), for a year at least`)
    expect(lookAgainAt).to.equal(at('Tue 11:00') + 366 * DAY)
    expect(nextTransition(read(closed, HOLIDAYS), at('Tue 11:00'), HOLIDAYS)).to.equal(undefined)
  })

  it('of no hours for more than eight years leaves open when a request to sleep ends', () => {
    const rules = rulesWith({}, calendarsOf({ shut: { '2026-01-01..2034-08-31': '' } }))
    const request = { at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' } as const
    const snoozed = awake.annotated({ calendar: 'shut' }).snoozed(request)
    const told = (years: number) =>
      decided(snoozed, at('Mon 13:00') + years * 366 * DAY, rules).reason.text.replace(/^.*k8s:alice/, '')
    expect([told(0), told(1)]).to.deep.equal(['', '; wakes 2034-09-01T08:00:00Z'])
  })

  for (const [names, says] of [
    ['at', "dormouse.dev/calendar: there is no calendar 'at': write one of de, late, closed, broken"],
    [
      'de,broken',
      'dormouse.dev/calendar: calendar broken cannot be used: /etc/dormouse/company.ics is missing',
    ],
  ] as const)
    it(`${names} that cannot be used stops what is automatic, with a reason`, () => {
      for (const workload of [awake, asleep]) {
        const found = decided(workload.annotated({ calendar: names }), at('Wed 20:00'), HOLIDAYS)
        expect(found.action).to.equal('none')
        expect(found.reason.text).to.include(says)
      }
    })
})

describe('auto-wake "false"', () => {
  const own = { autoWake: 'false' }
  const sleeper = asleep.annotated(own)

  it('lets the schedule put to sleep, and not wake', () => {
    expect(decided(awake.annotated(own), at('Mon 18:00')).action).to.equal('snooze')
    expect(decided(sleeper, at('Tue 8:00')).action).to.equal('none')
    expect(decided(sleeper, at('Tue 9:00')).reason.text).to.equal(
      `asleep: schedule ${WORK} (UTC) only puts to sleep, next at 2026-03-03T18:00:00Z`,
    )
    expect(decided(sleeper, at('Mon 20:00')).reason.text).to.equal(
      `asleep by schedule ${WORK} (UTC), which only puts to sleep`,
    )
  })

  it('leaves edges to awake out of what comes', () => {
    expect(nextTransition(read(sleeper), at('Mon 20:00'), RULES)).to.equal(undefined)
    const woken = sleeper.woken({ at: at('Tue 7:00'), by: 'k8s:alice', hold: 12 * HOUR })
    const planned = plannedTransitions(woken, at('Tue 7:30'), RULES, at('next Mon 8:00'))
    expect(planned.map(({ at: when, type }) => [when, type])).to.deep.equal([[at('Tue 18:00'), 'snooze']])
  })

  it('lets people wake it until the next window ends, in the window and before it', () => {
    const early = sleeper.woken({ at: at('Tue 7:00'), hold: 2 * HOUR })
    for (const time of ['Tue 7:30', 'Tue 8:00', 'Tue 9:30', 'Tue 17:59'])
      expect(decided(early, at(time)).action, time).to.equal('none')
    expect(decided(early, at('Tue 18:00')).action).to.equal('snooze')
    const inside = sleeper.woken({ at: at('Tue 9:00') })
    expect(decided(inside, at('Tue 17:59')).action).to.equal('none')
    expect(decided(inside, at('Tue 18:00')).action).to.equal('snooze')
  })

  it('ends the hold of a wake in hours of sleep', () => {
    const woken = sleeper.woken({ at: at('Mon 20:00'), hold: 4 * HOUR })
    expect(decided(woken, at('Mon 23:59')).action).to.equal('none')
    expect(decided(woken, at('Tue 0:00')).action).to.equal('snooze')
  })

  it('returns a passed snooze to the state before it, and a passed wake too', () => {
    const brief = awake.annotated(own).snoozed({ at: at('Mon 10:00'), trigger: 'api', for: HOUR })
    expect(decided(brief, at('Mon 10:30')).action).to.equal('none')
    expect(decided(brief, at('Mon 11:00')).action).to.equal('wake')
    const woken = sleeper.woken({ at: at('Tue 9:00'), for: HOUR })
    expect(decided(woken, at('Tue 10:00')).action).to.equal('snooze')
  })

  it('does not return a snooze that outlasted the end of a window', () => {
    const long = awake.annotated(own).snoozed({ at: at('Mon 17:00'), trigger: 'api', for: 16 * HOUR })
    expect(decided(long, at('Tue 9:00')).action).to.equal('none')
  })

  it('does not return, in the hours of the window, what ended before they began', () => {
    const up = sleeper.woken({ at: at('Tue 5:00'), hold: 12 * HOUR })
    const brief = up.snoozed({ at: at('Tue 6:00'), trigger: 'api', for: HOUR })
    for (const time of ['Tue 7:30', 'Tue 8:00', 'Tue 9:00'])
      expect(decided(brief, at(time)).action, time).to.equal('none')
  })

  it('does not return what ended while awake-until kept it awake', () => {
    const always = asleep.annotated({ ...own, schedule: '0:00-24:00', awakeUntil: '2026-03-03T08:00Z' })
    const woken = always.woken({ at: at('Tue 6:00'), for: HOUR })
    for (const time of ['Tue 7:00', 'Tue 8:00', 'Tue 9:00'])
      expect(decided(woken, at(time)).action, time).to.equal('none')
  })

  it('returns one that ended when the window began', () => {
    const up = sleeper.woken({ at: at('Mon 20:00'), hold: 12 * HOUR })
    const brief = up.snoozed({ at: at('Mon 22:00'), trigger: 'api', for: 10 * HOUR })
    expect(decided(brief, at('Tue 8:00')).action).to.equal('wake')
  })

  it('returns one that began in the hours of sleep and outlasted an edge to awake', () => {
    const up = sleeper.woken({ at: at('Tue 6:00'), hold: 12 * HOUR })
    const brief = up.snoozed({ at: at('Tue 7:00'), trigger: 'api', for: 2 * HOUR })
    expect(decided(brief, at('Tue 9:00')).action).to.equal('wake')
  })

  it('puts a sleeper that no hand woke to sleep again, inside a window too', () => {
    expect(decided(sleeper.editedTo(3), at('Tue 9:00'))).to.include({
      action: 'snooze',
      trigger: 'recovery',
    })
    expect(decided(sleeper.scaledByHand(3), at('Tue 9:00'))).to.include({
      action: 'adopt',
      trigger: 'manual',
    })
  })

  it('gives no count back at an edge to awake, but keeps it at the next end of a window', () => {
    const scaled = planStep(sleeper.scaledByHand(1), at('Tue 7:00'), RULES).target
    const one = read(sleeper.scaledByHand(1).with({ annotations: { ...scaled!.workload.annotations } }))
    const kept = { ...one, state: scaled!.state }
    expect(decide(situationOf(kept, at('Tue 9:00'), RULES)).action).to.equal('none')
    expect(decide(situationOf(kept, at('Tue 18:00'), RULES))).to.include({ action: 'snooze', replicas: 3 })
    expect(decide(situationOf({ ...kept, autoWake: true }, at('Tue 9:00'), RULES))).to.include({
      action: 'wake',
      replicas: 3,
    })
  })

  it('leaves as it is what is enabled inside a window, and puts to sleep outside', () => {
    const bare = awake.annotated({ ...own, state: undefined })
    expect(decided(bare, at('Mon 9:00')).action).to.equal('none')
    expect(decided(bare, at('Mon 20:00')).action).to.equal('snooze')
  })

  it('that is neither true nor false is a fault', () => {
    const found = decided(awake.annotated({ autoWake: 'no' }), at('Mon 20:00'))
    expect(found.action).to.equal('none')
    expect(found.reason.text).to.include('dormouse.dev/auto-wake: write "true" or "false"')
    expect(decided(asleep.annotated({ autoWake: '' }), at('Tue 9:00')).action).to.equal('wake')
  })
})

describe('awake-until', () => {
  const until = (workload: typeof awake, text: string) => workload.annotated({ awakeUntil: text })

  it('wakes what the schedule put to sleep, until then', () => {
    const sleeper = until(asleep, '2026-03-02T22:00+01:00')
    expect(decided(sleeper, at('Mon 20:30')).action).to.equal('wake')
    expect(decided(sleeper, at('Mon 20:30')).reason.text).to.equal(
      'awake by dormouse.dev/awake-until until 2026-03-02T21:00:00Z',
    )
    expect(decided(sleeper, at('Mon 21:00')).action).to.equal('none')
    expect(decided(until(awake, '2026-03-02T22:00+01:00'), at('Mon 18:00')).action).to.equal('none')
    expect(decided(until(awake, '2026-03-02T22:00+01:00'), at('Mon 21:00')).action).to.equal('snooze')
  })

  it('wakes whatever auto-wake says', () => {
    const sleeper = until(asleep.annotated({ autoWake: 'false' }), '2026-03-04')
    expect(decided(sleeper, at('Mon 20:30')).action).to.equal('wake')
    expect(
      nextTransition(
        read(until(awake.annotated({ autoWake: 'false' }), '2026-03-04')),
        at('Tue 12:00'),
        RULES,
      )?.at,
    ).to.equal(at('Thu 0:00'))
  })

  it('leaves asleep what a person put to sleep until the edge that the schedule has without it', () => {
    const snoozed = until(
      awake.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' }),
      '2026-03-06',
    )
    for (const time of ['Mon 13:00', 'Mon 17:59'])
      expect(decided(snoozed, at(time)).action, time).to.equal('none')
    for (const time of ['Mon 18:00', 'Tue 8:00', 'Thu 12:00'])
      expect(decided(snoozed, at(time)).action, time).to.equal('wake')
  })

  it('is over at its very end: from then on auto-wake counts again', () => {
    const itself = until(awake.annotated({ autoWake: 'false' }), '2026-03-02T12:00Z')
    expect(decided(itself, at('Mon 12:00')).reason.text).to.equal(
      `awake: schedule ${WORK} (UTC) only puts to sleep, next at 2026-03-02T18:00:00Z`,
    )
  })

  it('puts to sleep at its end as an edge does', () => {
    const kept = until(awake, '2026-03-02T22:00Z')
    const { action, dueAt, intent } = decided(kept, at('Mon 22:01'))
    expect([action, dueAt, intent?.at]).to.deep.equal(['snooze', at('Mon 22:00'), at('Mon 22:00')])
  })

  it('ends only what it alone kept awake: not what a person woke, as long as that lasts', () => {
    const woken = until(asleep.woken({ at: at('Mon 19:00'), hold: 4 * HOUR }), '2026-03-02T22:00Z')
    expect(decided(woken, at('Mon 21:59')).action).to.equal('none')
    expect(decided(woken, at('Mon 22:59')).reason.text).to.equal(
      'awake by request; sleeps 2026-03-02T23:00:00Z',
    )
    expect(decided(woken, at('Mon 23:00')).action).to.equal('snooze')
  })

  it('ends what a person woke, and whose time was over before', () => {
    const woken = until(asleep.woken({ at: at('Mon 19:00'), hold: HOUR }), '2026-03-02T22:00Z')
    expect(decided(woken, at('Mon 21:59')).reason.text).to.equal(
      'awake by dormouse.dev/awake-until until 2026-03-02T22:00:00Z',
    )
    const { action, dueAt } = decided(woken, at('Mon 22:00'))
    expect([action, dueAt]).to.deep.equal(['snooze', at('Mon 22:00')])
  })

  it('gives a kept count back at its end only where that ends the wake, too', () => {
    const scaled = planStep(
      until(asleep.scaledByHand(1), '2026-03-02T22:00Z'),
      at('Mon 21:00'),
      RULES,
    ).target!
    const situation = (time: string) => situationOf(scaled, at(time), RULES)
    expect(decide(situation('Mon 22:30')).action).to.equal('none')
    expect(decide(situation('Tue 8:00'))).to.include({ action: 'wake', replicas: 3 })
  })

  it('has no end to name where its schedule has no edge after it', () => {
    const always = { schedule: '0:00-24:00', calendar: 'de', awakeUntil: '2026-03-05' }
    expect(decided(asleep.annotated(always), at('Tue 9:00'), HOLIDAYS).reason.text).to.equal(
      'awake by dormouse.dev/awake-until',
    )
  })

  it('ends inside a window without an edge', () => {
    expect(nextTransition(read(until(awake, '2026-03-03T12:00Z')), at('Mon 12:00'), RULES)?.at).to.equal(
      at('Tue 18:00'),
    )
  })

  it('of a date ends with it in the zone of the workload', () => {
    const here = asleep.annotated({ timezone: 'Europe/Berlin' })
    expect(read(until(here, '2026-03-29')).awakeUntil).to.equal(Date.parse('2026-03-29T22:00Z'))
    expect(read(until(here, '2026-03-28')).awakeUntil).to.equal(Date.parse('2026-03-28T23:00Z'))
  })

  it('that has passed leaves the schedule as it was', () => {
    for (const time of ['Tue 7:59', 'Tue 8:00', 'Tue 18:00', 'Sat 9:00'])
      expect(decided(until(asleep, '2026-02-01'), at(time)).action).to.equal(decided(asleep, at(time)).action)
  })

  for (const [text, says] of [
    ['2026-03-04T18:00', 'add the offset, or Z for UTC'],
    ['tomorrow', 'expected a time with an offset such as 2026-11-24T18:00+01:00'],
    ['2026-02-30', 'expected a time with an offset'],
    ['2026-02-30T10:00Z', 'expected a time with an offset'],
    ['2026-03-04T25:00Z', 'expected a time with an offset'],
  ] as const)
    it(`${text} is a fault that stops what is automatic`, () => {
      const found = decided(until(asleep, text), at('Tue 9:00'))
      expect(found.action).to.equal('none')
      expect(found.reason.text).to.include(`dormouse.dev/awake-until: `).and.to.include(says)
    })
})

describe('a changed calendar, auto-wake or awake-until', () => {
  const snoozed = awake.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' })

  for (const [before, after] of [
    [{}, { calendar: 'de' }],
    [{ calendar: 'unknown' }, { calendar: 'de' }],
    [{}, { autoWake: 'false' }],
    [{}, { awakeUntil: '2026-03-04' }],
  ] as const)
    it(`forms no intent: ${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
      const [was, is] = [read(snoozed.annotated(before), HOLIDAYS), read(snoozed.annotated(after), HOLIDAYS)]
      expect(rescheduled(new Situation(was, at('Mon 13:00'), HOLIDAYS), is, null)).to.equal(is)
      expect(decide(situationOf(is, at('Mon 13:00'), HOLIDAYS)).action).to.equal('none')
    })
})
