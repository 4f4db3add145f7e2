import { expect } from 'chai'
import { ASLEEP_LABEL, keyOf, type Workload } from '../../../src/domain/workload/workload.ts'
import { at, DAY, HOUR, MINUTE, SECOND } from '../../support/rules.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, web } from './rig.ts'

const LIMIT = 20
const asleep = web.snoozed({ at: at('Mon 18:00') })

/** Somebody who puts the label wrong whenever it is right, as long as `meddles`. */
function meddled(now: number, workload: Workload = asleep) {
  const rig = aRig(now, { writesPerWorkload: LIMIT })
  const { cluster, time } = rig
  const meddler = { meddles: true, pause: 0 }
  const written: number[] = []
  cluster.put(workload)
  cluster.onChange((_, after) => {
    if (after?.labels?.[ASLEEP_LABEL] !== '3') return
    const spoil = () => {
      const live = cluster.live(after)
      if (meddler.meddles && live.labels?.[ASLEEP_LABEL] === '3')
        cluster.put(live.with({ labels: { ...live.labels, [ASLEEP_LABEL]: '4' } }))
    }
    if (meddler.pause === 0) spoil()
    else time.later(spoil, meddler.pause)
  })
  const { delay } = cluster
  cluster.delay = () => {
    written.push(time.monotonic())
    return delay()
  }
  const spoil = () => cluster.put(cluster.live(workload).with({ labels: { [ASLEEP_LABEL]: '4' } }))
  const inAMinute = () =>
    Math.max(...written.map((from) => written.filter((each) => each >= from && each < from + MINUTE).length))
  return { ...rig, meddler, written, spoil, inAMinute }
}

describe('the write budget of a workload', () => {
  it('counts what was written, and not what somebody else put right first', async () => {
    const { cluster, start } = aRig(at('Mon 20:00'), { writesPerWorkload: LIMIT })
    cluster.put(asleep)
    await start()
    const { state, ...others } = asleep.annotations
    let helps = true
    cluster.delay = async () => {
      if (helps) cluster.put(cluster.live(asleep).annotated({ state }))
    }
    const spoil = () => cluster.put(cluster.live(asleep).with({ annotations: others }))
    for (let again = 0; again < LIMIT + 5; again++) {
      spoil()
      await settled()
    }
    expect([cluster.sent, cluster.patches.length]).to.deep.equal([LIMIT + 5, 0])
    helps = false
    spoil()
    await settled()
    expect(cluster.patches).to.have.length(1)
  })

  it('stops a slow one as well', async () => {
    const { time, start, spoil, meddler, inAMinute, told } = meddled(at('Mon 20:00'))
    meddler.pause = 2 * SECOND
    await start()
    spoil()
    await time.pass(HOUR)
    expect(inAMinute()).to.equal(LIMIT)
    expect(told.events).to.deep.equal(['Warning TooManyWrites web'])
  })

  it('leaves alone one that is undone now and then', async () => {
    const { time, start, spoil, meddler, written, told } = meddled(at('Mon 20:00'))
    meddler.pause = 4 * SECOND
    await start()
    spoil()
    await time.pass(HOUR)
    expect(written.length).to.be.within(880, 905)
    expect([told.events, told.withheld]).to.deep.equal([[], 0])
  })

  it('is reported once by an Event and a log line, and counted at each rest', async () => {
    const { time, start, spoil, told, logged } = meddled(at('Mon 20:00'))
    await start()
    spoil()
    await time.pass(HOUR)
    expect(told.events).to.deep.equal(['Warning TooManyWrites web'])
    expect(told.messages[0]).to.match(/^Written 20 times within a minute, because something undoes it/)
    const lines = logged.filter(({ level }) => level === 'warn')
    expect(lines.map(({ workload }) => workload)).to.deep.equal([keyOf(web)])
    expect(told.withheld).to.be.within(6, 15)
  })

  it('delays no edge', async () => {
    const { time, start, spoil, moves, told } = meddled(at('Tue 7:59'))
    await start()
    spoil()
    await time.passTo(at('Tue 8:00') - 1)
    expect(moves()).to.deep.equal([])
    await time.pass(1)
    expect(moves()).to.deep.equal(['wake shop/web'])
    await time.passTo(at('Tue 18:00'))
    expect(moves()).to.deep.equal(['wake shop/web', 'snooze shop/web'])
    expect(told.lags).to.deep.equal([0, 0])
  })

  it('lets an edge pass once, and not again and again', async () => {
    const { time, cluster, start, inAMinute, written } = meddled(at('Mon 17:59'), web)
    cluster.onChange((_, after) => {
      if (after?.replicas === 0) cluster.put(web.with({ uid: after.uid }).annotated(web.annotations))
    })
    await start()
    await time.passTo(at('Mon 19:00'))
    expect(inAMinute()).to.be.at.most(LIMIT + 1)
    expect(written.length).to.be.at.most(2 * LIMIT)
  })

  it('is each workload’s own', async () => {
    const { time, cluster, start, spoil, moves } = meddled(at('Mon 17:50'), asleep)
    const others = Array.from({ length: 5 }, (_, i) => web.with({ name: `web-${i}`, uid: `uid-${i}` }))
    for (const other of others) cluster.put(other)
    await start()
    spoil()
    await time.passTo(at('Tue 8:00') + DAY)
    expect(moves().filter((move) => !move.endsWith('/web'))).to.have.length(20)
  })
})
