import { expect } from 'chai'
import { decided } from '../../support/decisions.ts'
import { at } from '../../support/rules.ts'
import { aCronJob, aDaemonSet, aDeployment, type AWorkload } from '../../support/workloads.ts'
import { NIGHT, NOON, WORK } from '../fixtures.ts'

/** As a downscaler leaves it: at 0, with the count of before in its annotation. */
const put = (workload: AWorkload, kept = '3') =>
  workload.withReplicas(0).enabled().scheduled(WORK).with({ keptByOther: kept })

const DECIDED = { code: 'kept_by_other', action: 'none' }
const decision = (workload: AWorkload, when: number) => {
  const { reason, action } = decided(workload, when)
  return { code: reason.code, action }
}

describe('what a downscaler put to sleep', () => {
  for (const [hour, when] of [
    ['by night', NIGHT],
    ['by day', NOON],
    ['as its hours begin', at('Tue 8:00')],
  ] as const) {
    it(`is left alone ${hour} until it is adopted: a schedule that finds it at 0 would keep 0`, () => {
      for (const each of [aDeployment(), aCronJob(), aDaemonSet()])
        expect(decision(put(each), when)).to.deep.equal(DECIDED)
    })
  }

  it('has a reason that says what to do, whatever stands in the annotation', () => {
    for (const odd of ['x'.repeat(300), '\u001B[2J', '3\n', ''])
      expect(decided(put(aDeployment(), odd), NIGHT).reason.text).to.equal(
        'left alone: another tool put it to sleep and keeps its count (downscaler/original-replicas) until kubectl dormouse import adopts it',
      )
  })

  it('sleeps by the schedule as all do once it is adopted', () => {
    const adopted = put(aDeployment().withReplicas(3))
      .withReplicas(3)
      .snoozed({ at: at('Mon 18:00') })
    expect(decided(adopted, NIGHT).reason.code).to.equal('schedule')
    expect(decided(adopted, at('Tue 8:00'))).to.include({ action: 'wake', replicas: 3 })
  })

  it('is judged while it runs: the count that the tool kept is out of date', () => {
    expect(decision(put(aDeployment()).withReplicas(2), NIGHT)).to.deep.equal({
      code: 'schedule',
      action: 'snooze',
    })
  })

  it('is judged where Dormouse has woken it, or somebody has pinned it, since', () => {
    const woken = aDeployment()
      .withReplicas(3)
      .enabled()
      .scheduled(WORK)
      .snoozed({ at: at('Mon 6:00') })
      .woken({ at: NOON })
    const scaledDown = woken.withReplicas(0).with({ keptByOther: '3' })
    expect(decided(scaledDown, NIGHT).reason.code).to.not.equal('kept_by_other')
    const pinned = aDeployment()
      .withReplicas(3)
      .enabled()
      .scheduled(WORK)
      .pinned()
      .scaledByHand(0)
      .with({ keptByOther: '3' })
    expect(decided(pinned, NOON)).to.include({ action: 'wake', replicas: 3 })
  })
})
