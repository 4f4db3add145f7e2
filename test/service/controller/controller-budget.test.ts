import { expect } from 'chai'
import { ASLEEP_LABEL, keyOf } from '../../../src/domain/workload/workload.ts'
import { settled } from '../../support/fake-time.ts'
import { at, HOUR } from '../../support/rules.ts'
import { aStarted, web } from './rig.ts'

const LIMIT = 20
const asleep = web.snoozed({ at: at('Mon 18:00') })
const spoilt = { labels: { [ASLEEP_LABEL]: '4' } }

/** Somebody puts the label wrong whenever it is right. */
async function meddled(now: number) {
  const rig = await aStarted(now, asleep)
  const { cluster } = rig
  cluster.onChange((_, after) => {
    if (after?.labels?.[ASLEEP_LABEL] === '3') cluster.put(cluster.live(after).with(spoilt))
  })
  cluster.put(cluster.live(asleep).with(spoilt))
  return rig
}

describe('the write budget of a workload', () => {
  it('counts what was written, and not what somebody else put right first', async () => {
    const { cluster } = await aStarted(at('Mon 20:00'), asleep)
    const { state, ...others } = asleep.annotations
    let helps = true
    cluster.delay = async () => {
      if (helps) cluster.put(cluster.live(asleep).annotated({ state }))
    }
    for (let again = 0; again < LIMIT + 6; again++) {
      helps = again < LIMIT + 5
      cluster.put(cluster.live(asleep).with({ annotations: others }))
      await settled()
    }
    expect([cluster.sent, cluster.patches.length]).to.deep.equal([LIMIT + 6, 1])
  })

  it('is reported once by an Event and a log line, and counted at each rest', async () => {
    const { time, cluster, told, logged } = await meddled(at('Mon 20:00'))
    await time.pass(HOUR)
    expect(cluster.patches.length).to.be.within(LIMIT + 6, LIMIT + 15)
    expect(told.events).to.deep.equal(['Warning TooManyWrites web'])
    expect(told.messages[0]).to.match(/^Written 20 times within a minute, because something undoes it/)
    const lines = logged.filter(({ level }) => level === 'warn')
    expect(lines.map(({ workload }) => workload)).to.deep.equal([keyOf(web)])
    expect(told.withheld).to.be.within(6, 15)
  })

  it('delays no edge', async () => {
    const { time, moves, told } = await meddled(at('Tue 7:59'))
    await time.passTo(at('Tue 8:00') - 1)
    expect(moves()).to.deep.equal([])
    await time.passTo(at('Tue 18:00'))
    expect(moves()).to.deep.equal(['wake shop/web', 'snooze shop/web'])
    expect(told.lags).to.deep.equal([0, 0])
  })

  it('lets an edge pass once, and not again and again, where somebody makes the workload anew each time', async () => {
    const { time, cluster } = await aStarted(at('Mon 17:59'), web)
    cluster.onChange((_, after) => {
      if (after?.replicas === 0) time.later(() => cluster.put(web.with({ uid: `not ${after.uid}` })), 100)
    })
    await time.passTo(at('Mon 18:05'))
    expect(cluster.patches.length).to.be.within(LIMIT, 2 * LIMIT)
  })
})
