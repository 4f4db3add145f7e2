import { expect } from 'chai'
import { statusRecord } from '../../../src/domain/records/record.ts'
import { asked, followed, stateOf, stepped } from '../../support/decisions.ts'
import { at, DAY, HOUR, MINUTE, RULES, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, awake, unscheduled, WORK } from '../fixtures.ts'

const YEAR = 365 * DAY

for (const seconds of [30, 61, 299])
  describe(`a replica whose clock is ${seconds} s behind the one that led before`, () => {
    const EDGE = at('Mon 18:00')
    const SPAN = seconds * SECOND
    const BEHIND = EDGE + 2 * SECOND - SPAN

    it('does not undo what that one did at an edge that is still to come', () => {
      const slept = followed(stepped(awake, EDGE + 2 * SECOND).after)
      expect(stepped(slept, BEHIND).change).to.equal(undefined)
    })

    const held = asleep.woken({ at: EDGE + HOUR, hold: HOUR })
    for (const [what, workload] of [
      ['a request', asleep.woken({ at: EDGE + HOUR, for: 3 * HOUR })],
      ['an override', held.overridden(EDGE + 4 * HOUR)],
    ] as const) {
      it(`does not undo what that one did at the end of ${what}`, () => {
        const end = EDGE + 4 * HOUR
        expect(stepped(followed(workload), end - SECOND).state.asleep).to.equal(false)
        const slept = stepped(followed(workload), end + 2 * SECOND)
        expect(slept.state.asleep).to.equal(true)
        expect(stepped(followed(slept.after), end + 2 * SECOND - SPAN).change).to.equal(undefined)
      })
    }

    it('dates what it writes after that, so that histories never go back', () => {
      const slept = followed(stepped(awake, EDGE + 2 * SECOND).after)
      const { state } = asked(slept, { action: 'wake' }, BEHIND)
      const [newest, before] = state.history
      expect(newest?.at).to.be.at.least(before?.at ?? 0)
      expect(state.intent?.at).to.be.greaterThan(EDGE)
    })

    it('tells the same in its status as that one', () => {
      const slept = followed(stepped(awake, EDGE + 2 * SECOND).after)
      const { reason, next_transition: next } = statusRecord(slept, BEHIND, RULES)
      expect(reason).to.include('asleep by schedule')
      expect(next).to.include({ type: 'wake' })
    })
  })

describe('leaders by turns, whose clocks are 61 s apart, over days of changed clocks', () => {
  const ZONE = 'Europe/Berlin'
  /** With edges before, in and after the hour that is skipped, or that comes twice. */
  const NIGHTS = '1:00-1:45; 2:15-2:45; 3:15-9:00'

  for (const [what, day] of [
    ['forward', '2026-03-28T12:00:00Z'],
    ['back', '2026-10-24T12:00:00Z'],
  ] as const)
    it(`${what}: each edge is one change, whichever of them comes to it first`, () => {
      const begin = Date.parse(day)
      const end = begin + 2 * DAY
      let workload = aDeployment().withReplicas(3).enabled().scheduled(NIGHTS).annotated({ timezone: ZONE })
      workload = aDeployment().with(followed(stepped(workload, begin).after))
      const schedule = RULES.compile(NIGHTS, ZONE)
      const due: string[] = []
      for (let edge = schedule.nextEdge(begin); edge && edge.at <= end; edge = schedule.nextEdge(edge.at))
        due.push(edge.to)
      const made: string[] = []
      for (let now = begin, turn = 0; now <= end + MINUTE; now += 20 * SECOND, turn += 1) {
        const { after, state } = stepped(workload, turn % 2 === 0 ? now : now - 61 * SECOND)
        if (after.replicas !== workload.replicas) made.push(state.asleep ? 'asleep' : 'awake')
        workload = aDeployment().with(followed(after))
      }
      expect(made).to.deep.equal(due)
      expect(due.length).to.be.at.least(8)
    })
})

describe('what a clock wrote that was a year ahead', () => {
  const NOW = at('Mon 20:00')

  it('does not count as recent, so it starts no backoff', () => {
    let workload = unscheduled.born(NOW - DAY)
    for (let again = 0; again < 6; again += 1)
      workload = aDeployment().with(
        followed(
          asked(workload, { action: again % 2 ? 'wake' : 'snooze' }, NOW + YEAR + again * MINUTE).after,
        ),
      )
    expect(stateOf(workload).backoff).to.equal(undefined)
    const { state } = asked(workload, { action: 'snooze' }, NOW)
    expect(state.backoff).to.equal(undefined)
    expect(statusRecord(followed(workload), NOW, RULES).recent_operations).to.equal(0)
  })

  it('is an operation in progress no longer than any other', () => {
    const sleeper = unscheduled.snoozed({ at: NOW - HOUR })
    const { after } = asked(sleeper, { action: 'wake' }, NOW + YEAR)
    expect(stepped(after, NOW).state.history[0]?.result).to.equal('timed_out')
  })

  it('makes no workload new: its hours of sleep count', () => {
    const enabled = asked(
      aDeployment()
        .born(NOW - MINUTE)
        .scheduled(WORK),
      { action: 'enable' },
      NOW + YEAR - 6 * HOUR,
    )
    expect(enabled.state.intent?.at).to.equal(NOW + YEAR - 6 * HOUR)
    expect(stepped(followed(enabled.after), NOW).state.asleep).to.equal(true)
  })
})
