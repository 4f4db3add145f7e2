import { expect } from 'chai'
import { at, DAY, HOUR, MINUTE } from '../support/rules.ts'
import { aDeployment } from '../support/workloads.ts'
import { aRig } from './rig.ts'

const YEAR = 365 * DAY
const web = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00,Mon-Fri')
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })

describe('a clock that is set', () => {
  it('ahead: what the schedule says then is done within a minute, and no lateness is told', async () => {
    const { time, cluster, start, moves, told } = aRig(at('Mon 12:00'))
    cluster.put(web)
    await start()
    time.jump(YEAR + 10 * HOUR)
    await time.pass(MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.lags).to.deep.equal([0])
  })

  it('back, after it was a year ahead: the schedule is followed again within a minute, and so are its edges', async () => {
    const { time, cluster, start, moves } = aRig(at('Mon 20:00'))
    cluster.put(web)
    await start()
    // Tuesday, 10:00
    time.jump(YEAR - 10 * HOUR)
    await time.pass(MINUTE)
    time.jump(10 * HOUR - YEAR)
    await time.pass(MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web', 'snooze shop/web'])
    await time.passTo(at('Tue 8:00'))
    expect(moves().slice(3)).to.deep.equal(['wake shop/web'])
    cluster.podsFollow(web)
    await time.passTo(at('Tue 18:00'))
    expect(moves().slice(4)).to.deep.equal(['snooze shop/web'])
  })
})
