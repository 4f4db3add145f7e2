import { expect } from 'chai'
import { plannedTransitions } from '../../../src/domain/records/plan.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { asked } from '../../support/decisions.ts'
import { at, DAY, HOUR, iso, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment, aReplicaSet } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, WORK } from '../fixtures.ts'

function plan(workload: Workload, now = NOON, hours = 48): string[] {
  return plannedTransitions(workload, now, RULES, now + hours * HOUR).map(
    ({ at, type }) => `${iso(at).slice(8, 16)} ${type}`,
  )
}

describe('the plan', () => {
  it('lists the coming transitions up to its end', () => {
    expect(plan(awake)).to.deep.equal([
      '02T18:00 snooze',
      '03T08:00 wake',
      '03T18:00 snooze',
      '04T08:00 wake',
    ])
    expect(plan(awake, NOON, 6)).to.deep.equal(['02T18:00 snooze'])
    expect(plan(awake, NOON, 5)).to.deep.equal([])
    expect(plan(awake, NOON, 744)).to.have.length(2 * 23)
  })

  it('tells the reason of each', () => {
    const [first] = plannedTransitions(awake, NOON, RULES, NOON + DAY)
    expect(first?.reason.text).to.equal(`asleep by schedule ${WORK} (UTC) until 2026-03-03T08:00:00Z`)
  })

  it('begins with what is due now', () => {
    expect(plan(awake, at('Mon 19:00'), 1)).to.deep.equal(['02T19:00 snooze'])
  })

  it('respects requests, overrides and pins', () => {
    const kept = asked(awake, { action: 'wake', for: 30 * HOUR }, NOON).after
    expect(plan(kept)).to.deep.equal(['03T18:00 snooze', '04T08:00 wake'])
    expect(plan(awake.overridden(at('Tue 9:00')))).to.deep.equal(['03T18:00 snooze', '04T08:00 wake'])
    expect(plan(awake.overridden())).to.deep.equal([])
    expect(plan(awake.pinned())).to.deep.equal([])
    expect(plan(aDeployment().scheduled(WORK))).to.deep.equal([])
  })

  it('foresees that a schedule flaps, and what the backoff prevents', () => {
    const restless = [0, 1, 2, 3, 4, 5].map((ten) => `13:${ten}0-13:${ten}5`).join(';')
    const workload = asked(
      aDeployment().withReplicas(1),
      { action: 'enable', schedule: restless },
      NOON,
    ).after
    expect(plan(workload, NOON + 1000, 2)).to.deep.equal([
      '02T13:00 wake',
      '02T13:05 snooze',
      '02T13:10 wake',
      '02T13:15 snooze',
      '02T13:20 wake',
      '02T13:25 snooze',
      '02T13:30 wake',
      '02T13:35 snooze',
      '02T13:50 wake',
    ])
  })

  it('is refused with INVALID_STATE and OWNED', () => {
    expect(() => plan(awake.annotated({ state: '{' })))
      .to.throw()
      .with.property('code', 'INVALID_STATE')
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
    expect(() => plan(aReplicaSet().with({ owner })))
      .to.throw()
      .with.property('code', 'OWNED')
  })
})

describe('next_transition', () => {
  const next = (workload: Workload, now = NOON) => statusRecord(workload, now, RULES).next_transition

  it('is the next change between awake and asleep, not the next edge', () => {
    const woken = asked(asleep, { action: 'wake' }, NIGHT).after
    expect(next(woken, NIGHT)).to.deep.include({ at: iso(at('Tue 18:00')), type: 'snooze' })
  })

  it('counts `until`', () => {
    expect(next(asked(awake, { action: 'snooze', for: HOUR }, NOON).after)).to.deep.include({
      at: iso(at('Mon 13:00')),
      type: 'wake',
    })
    expect(next(asked(awake, { action: 'wake', for: 8 * HOUR }, NOON).after)).to.deep.include({
      at: iso(NIGHT),
      type: 'snooze',
    })
  })

  it('counts `hold`', () => {
    const weekend = asked(awake.snoozed({ at: at('Fri 18:00') }), { action: 'wake' }, at('Fri 20:00')).after
    expect(next(weekend, at('Fri 20:00'))).to.deep.include({ at: iso(at('Sat 8:00')), type: 'snooze' })
  })

  it('counts newWorkloadGrace', () => {
    const chart = aDeployment().enabled().scheduled(WORK).born(NIGHT)
    expect(next(chart, NIGHT + MINUTE)).to.deep.include({ at: iso(NIGHT + 15 * MINUTE), type: 'snooze' })
  })

  it('counts the ends of override and backoff', () => {
    expect(next(awake.overridden(NIGHT))).to.deep.include({ at: iso(NIGHT), type: 'snooze' })
    expect(next(awake.inBackoff(at('Mon 18:40')), at('Mon 17:50'))).to.deep.include({
      at: iso(at('Mon 18:40')),
      type: 'snooze',
    })
  })

  it('is null while pinned or permanently overridden, with no schedule, and where nothing ever changes', () => {
    for (const workload of [
      awake.pinned(),
      asleep.pinned(),
      awake.overridden(),
      aDeployment().enabled(),
      aDeployment().enabled().scheduled('0:00-24:00'),
      awake.with({ deleting: true }),
    ]) {
      expect(next(workload)).to.equal(null)
    }
  })
})
