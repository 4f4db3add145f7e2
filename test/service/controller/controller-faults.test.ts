import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { decoded } from '../../support/readable.ts'
import { at, DAY, HOUR, MINUTE, SECOND } from '../../support/rules.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, aStarted, web } from './rig.ts'

const named = (name: string) => web.with({ name, uid: `uid-of-${name}` })
const rejected = () => new Refusal('CLUSTER_REJECTED', 'admission said no', { details: { status: 403 } })

describe('the controller, when the API server is away,', () => {
  it('tries again at most 2 s apart, and has caught up with every edge so long after its return', async () => {
    const { time, cluster, start, moves } = aRig(at('Mon 17:59'))
    const names = Array.from({ length: 20 }, (_, i) => `web-${i}`)
    for (const name of names) cluster.put(named(name))
    await start()
    cluster.down()
    await time.passTo(at('Mon 18:00'))
    for (let second = 0; second < 20; second++) {
      await time.pass(SECOND)
      expect(time.sleeps.at(-1)).to.be.at.most(2000)
    }
    const tried = cluster.sent
    cluster.up()
    await time.pass(2 * SECOND)
    expect(moves()).to.have.length(20)
    expect(cluster.sent - tried, 'once each').to.equal(20)
  })

  it('counts the lag from the edge that was missed, not from the last try', async () => {
    const { time, cluster, told } = await aStarted(at('Mon 17:59'), web)
    cluster.down()
    await time.passTo(at('Mon 18:00:30'))
    cluster.up()
    await time.pass(2 * SECOND)
    expect(told.lags).to.have.length(1)
    expect(told.lags[0]).to.be.within(30, 32)
  })

  it('counts no lag of what no clock made due, although a timer fired for the retry', async () => {
    const { time, cluster, told, start, moves } = aRig(at('Mon 20:00'))
    const pinned = web.pinned()
    cluster.put(pinned)
    await start()
    cluster.down()
    cluster.put(web.remembering({}).remembering({}))
    await time.pass(10 * SECOND)
    cluster.up()
    await time.pass(2 * SECOND)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.lags).to.deep.equal([])
  })

  it('is not hurried by a storm of updates', async () => {
    const { time, cluster } = await aStarted(at('Mon 17:59'), web)
    cluster.down()
    await time.passTo(at('Mon 18:00'))
    expect(cluster.sent).to.equal(1)
    for (let replicas = 4; replicas < 60; replicas++) cluster.put(web.withReplicas(replicas))
    await settled()
    expect(cluster.sent).to.equal(1)
    await time.pass(100)
    expect(cluster.sent).to.equal(2)
  })
})

describe('the controller, when the cluster refuses,', () => {
  const refusesToSleep = (_key: string, change: { replicas?: number }) =>
    change.replicas === 0 ? rejected() : undefined

  it('writes the failure and its backoff into the state, reports it, and tries again by itself', async () => {
    const { time, cluster, told, moves } = await aStarted(at('Mon 17:59'), web)
    cluster.answer = refusesToSleep
    await time.passTo(at('Mon 18:00'))
    const { backoff, history } = decoded(cluster.live(web).annotations)
    expect(backoff).to.deep.equal({
      until: at('Mon 18:00:10'),
      times: 1,
      cause: 'failure',
      refusal: 'admission said no',
    })
    expect(history[0]).to.include({ type: 'snooze', result: 'failed' })
    expect(told.events).to.deep.equal(['Warning SnoozeFailed web'])
    expect(told.messages).to.deep.equal(['The cluster refused the sleep by its schedule: admission said no'])
    expect(told.operations).to.deep.equal(['snooze schedule deployments failed'])
    cluster.up()
    await time.passTo(at('Mon 18:00:10') - 1)
    expect(moves()).to.deep.equal([])
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.events).to.deep.equal(['Warning SnoozeFailed web', 'Normal Snoozed web'])
  })

  it('waits all the same where not even the failure can be written', async () => {
    const { time, cluster } = await aStarted(at('Mon 17:59'), web)
    cluster.answer = rejected
    await time.passTo(at('Mon 18:00'))
    expect(cluster.sent, 'the snooze and its failure').to.equal(2)
    await time.pass(4 * SECOND)
    expect(cluster.sent).to.equal(2)
    await time.pass(6 * SECOND)
    expect(cluster.sent).to.equal(4)
  })
})

describe('the controller keeps a fault to its workload:', () => {
  it('a decision that throws touches no other, and is tried again later', async () => {
    const rig = aRig(at('Mon 17:59'))
    const { time, cluster, told, logged, start, moves } = rig
    const compile = rig.rules.compile
    let faulty = true
    rig.rules.compile = (text, zone) => {
      if (faulty && text === '9:00-17:00') throw new TypeError('a bug of ours')
      return compile(text, zone)
    }
    cluster.put(named('odd').scheduled('9:00-17:00'))
    cluster.put(web)
    await start()
    await time.passTo(at('Mon 18:00'))
    expect(moves()).to.deep.equal(['snooze shop/web'])
    const faults = logged.filter(({ level }) => level === 'error')
    expect(faults).to.have.length.within(1, 6)
    expect(faults[0]).to.include({ workload: keyOf(named('odd')) })
    expect(told.failures, 'counted for the alert').to.equal(faults.length)
    faulty = false
    await time.pass(10 * MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web', 'snooze shop/odd'])
  })

  it('a write that throws is counted, and is not tried again at once', async () => {
    const { time, cluster, told, logged, moves } = await aStarted(at('Mon 17:59'), web)
    cluster.answer = () => {
      throw new TypeError('a bug of ours')
    }
    await time.passTo(at('Mon 18:00') + 4 * SECOND)
    expect([cluster.sent, told.failures]).to.deep.equal([1, 1])
    expect(logged.filter(({ level }) => level === 'error')).to.have.length(1)
    cluster.up()
    await time.pass(6 * SECOND)
    expect(moves()).to.deep.equal(['snooze shop/web'])
  })

  it('a recorder that throws ends neither the listener nor the work', async () => {
    const { time, told, moves } = await aStarted(at('Mon 17:59'), web, named('other'))
    told.brokenFor = keyOf(web)
    await time.passTo(at('Mon 18:00'))
    expect(moves()).to.have.members(['snooze shop/web', 'snooze shop/other'])
    expect(told.events).to.deep.equal(['Normal Snoozed other'])
  })
})

describe('the controller, with a fault in what counts,', () => {
  it('goes on working', async () => {
    const { time, told, moves } = await aStarted(at('Mon 17:59'), web)
    told.scheduleLag = () => {
      throw new Error('the metrics are broken')
    }
    await time.passTo(at('Mon 18:00:01'))
    expect(moves()).to.deep.equal(['snooze shop/web'])
    await time.passTo(at('Tue 8:00') + MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
  })
})

describe('the controller, with a copy behind the truth,', () => {
  it('does nothing twice: the precondition fails, and the live workload has it already', async () => {
    const { time, cluster, moves } = await aStarted(at('Mon 17:59'), web)
    cluster.watch.cut()
    cluster.put(web.snoozed({ at: at('Mon 18:00') }))
    await time.passTo(at('Mon 18:00'))
    await time.pass(10 * SECOND)
    expect(moves()).to.deep.equal([])
    expect(cluster.sent, 'and does not ask again and again').to.equal(1)
    cluster.watch.mend()
    await time.passTo(at('Tue 8:00'))
    expect(moves()).to.deep.equal(['wake shop/web'])
  })

  it('still meets the next edge that the live workload has', async () => {
    const { time, cluster, moves } = await aStarted(at('Mon 17:59'), web)
    cluster.watch.cut()
    cluster.put(web.scheduled('8:00-19:00').woken({ at: at('Mon 8:00'), trigger: 'schedule' }))
    await time.passTo(at('Mon 18:00'))
    expect(moves()).to.deep.equal([])
    await time.passTo(at('Mon 19:00'))
    expect(moves()).to.deep.equal(['snooze shop/web'])
  })

  it('asks at most every 2 s for what is gone, until the watch says so', async () => {
    const { time, cluster, armed } = await aStarted(at('Mon 17:59'), web)
    cluster.watch.cut()
    cluster.remove(web)
    await time.passTo(at('Mon 18:01'))
    expect(cluster.sent).to.be.within(2, 70)
    const asked = cluster.sent
    cluster.watch.mend()
    await time.pass(DAY)
    expect(cluster.sent).to.equal(asked)
    expect(armed()).to.equal(0)
  })

  it('moves what was deleted and created again by its own schedule', async () => {
    const { time, cluster, moves } = await aStarted(at('Mon 17:59'), web)
    cluster.watch.cut()
    cluster.put(web.with({ uid: 'uid-of-another' }).scheduled('8:00-19:00'))
    await time.passTo(at('Mon 18:59'))
    expect(cluster.sent).to.equal(1)
    await time.passTo(at('Mon 19:00'))
    expect(moves()).to.deep.equal(['snooze shop/web'])
  })

  it('waits where the live state cannot be read', async () => {
    const { time, cluster } = await aStarted(at('Mon 17:59'), web)
    cluster.watch.cut()
    cluster.put(web.annotated({ state: '{' }))
    await time.passTo(at('Mon 18:00:10'))
    expect(cluster.sent).to.equal(1)
    cluster.watch.mend()
    await time.pass(HOUR)
    expect(cluster.sent).to.equal(1)
  })
})

describe('a refusal holds up only what was refused:', () => {
  const asleep = web.snoozed({ at: at('Sun 18:00') })
  const movesPods = ({ replicas }: { replicas?: number }) => replicas !== undefined

  it('a completion that was refused all day delays no edge', async () => {
    const { time, cluster, moves } = await aStarted(at('Mon 7:59'), asleep)
    cluster.answer = (_key, change) => (movesPods(change) ? undefined : rejected())
    await time.passTo(at('Mon 8:00'))
    cluster.podsFollow(asleep)
    await time.passTo(at('Mon 17:59:50'))
    cluster.up()
    await time.passTo(at('Mon 18:00'))
    expect(moves()).to.deep.equal(['wake shop/web', 'snooze shop/web'])
  })

  it('an edge comes at its instant though what restores the marks of its workload is refused', async () => {
    const evening = web.snoozed({ at: at('Mon 18:00') })
    const { time, cluster, moves } = await aStarted(at('Tue 7:00'), evening)
    cluster.answer = (_key, change) => (movesPods(change) ? undefined : rejected())
    cluster.put(cluster.live(evening).annotated({ state: undefined }))
    await time.passTo(at('Tue 8:00') - 1)
    expect(moves()).to.deep.equal([])
    await time.pass(1)
    expect(moves()).to.deep.equal(['wake shop/web'])
  })
})
