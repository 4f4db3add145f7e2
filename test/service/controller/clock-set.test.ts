import { expect } from 'chai'
import type { FakeCluster } from '../../support/fake-cluster.ts'
import { settled, type FakeTime } from '../../support/fake-time.ts'
import { at, DAY, HOUR, MINUTE } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aStarted, web } from './rig.ts'

const YEAR = 365 * DAY

const snoozedForHours = aDeployment()
  .withReplicas(3)
  .enabled()
  .snoozed({ at: at('Mon 11:00'), trigger: 'api', by: 'k8s:alice', for: 2 * HOUR })

/** Its sleep ends, it runs, and nothing is left to wait for. */
async function yearAhead(time: FakeTime, cluster: FakeCluster): Promise<void> {
  time.jump(YEAR)
  await time.pass(MINUTE)
  cluster.podsFollow(snoozedForHours)
  await time.pass(10 * MINUTE)
}

describe('a clock that is set', () => {
  it('ahead: what the schedule says then is done within a minute, and no lateness is told', async () => {
    const { time, moves, told } = await aStarted(at('Mon 12:00'), web)
    time.jump(YEAR + 10 * HOUR)
    await time.pass(MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.lags).to.deep.equal([])
  })

  it('ahead, while a write is in flight: its lateness is the time that it took', async () => {
    const { time, cluster, moves, told } = await aStarted(at('Mon 17:59'), web)
    const answer = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    time.jump(YEAR)
    await time.pass(2000)
    answer()
    await settled()
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.lags).to.deep.equal([2])
  })

  for (const [what, offset] of [
    ['ahead', 61_000],
    ['behind', -61_000],
  ] as const)
    it(`${what} by 61 seconds around an edge, and right again: the edge is written once, and nothing is undone`, async () => {
      const { time, cluster, moves } = await aStarted(at('Mon 17:59') + 30_000, web)
      time.jump(offset)
      await time.pass(MINUTE)
      time.jump(-offset)
      await time.passTo(at('Mon 18:05'))
      expect(moves()).to.deep.equal(['snooze shop/web'])
      expect(cluster.live(web).state().intent?.at).to.equal(at('Mon 18:00'))
      await time.passTo(at('Tue 7:59') + 30_000)
      time.jump(offset)
      await time.pass(MINUTE)
      time.jump(-offset)
      await time.passTo(at('Tue 8:05'))
      expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
    })

  it('back: the sleep that its year ahead had ended runs again, where there is no schedule to wait for', async () => {
    const { time, cluster, moves } = await aStarted(at('Mon 12:00'), snoozedForHours)
    await yearAhead(time, cluster)
    time.jump(-YEAR)
    await time.pass(MINUTE)
    expect(moves()).to.deep.equal(['wake shop/web', 'snooze shop/web'])
  })
})
