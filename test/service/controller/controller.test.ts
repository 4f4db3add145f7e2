import { expect } from 'chai'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { decoded } from '../../support/readable.ts'
import { at, DAY, HOUR, MINUTE } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, aStarted } from './rig.ts'

const WORK = '8:00-18:00,Mon-Fri'
const NIGHT = '18:00-8:00'

const byDay = (workload: AWorkload) =>
  workload
    .withReplicas(3)
    .enabled()
    .scheduled(WORK)
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const byNight = (workload: AWorkload) =>
  workload
    .withReplicas(3)
    .enabled()
    .scheduled(NIGHT)
    .snoozed({ at: at('Mon 8:00') })
const web = byDay(aDeployment())
const stateOf = (workload: Workload) => decoded(workload.annotations)

describe('the controller', () => {
  it('acts on an edge at its second: one patch, an Event, and nothing before', async () => {
    const { time, cluster, told, moves } = await aStarted(at('Mon 17:00'), web)
    await time.passTo(at('Mon 18:00') - 1)
    expect(cluster.sent).to.equal(0)
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(cluster.live(web).replicas).to.equal(0)
    expect(told.events).to.deep.equal(['Normal Snoozed web'])
    expect(told.operations).to.deep.equal([])
  })

  it('completes an operation when the pods followed, and then rests until the next edge', async () => {
    const { time, cluster, told, moves } = await aStarted(at('Mon 17:59'), web)
    await time.passTo(at('Mon 18:00'))
    await time.pass(4000)
    cluster.podsFollow(web)
    await settled()
    expect(told.operations).to.deep.equal(['snooze schedule deployments succeeded'])
    expect(told.durations).to.deep.equal([4])
    expect(cluster.patches.map(({ priority }) => priority)).to.deep.equal(['snooze'])
    await time.passTo(at('Tue 8:00') - 1)
    expect(cluster.sent).to.equal(1)
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
  })

  it('says that an operation timed out when its pods do not follow', async () => {
    const { time, told } = await aStarted(at('Mon 17:59'), web)
    await time.passTo(at('Mon 18:10'))
    expect(told.operations).to.deep.equal(['snooze schedule deployments timed_out'])
  })

  it('wakes before it puts to sleep, when an edge is both', async () => {
    const { time, cluster, start, moves } = aRig(at('Mon 17:59'), { concurrency: 1 })
    for (const name of ['a', 'b', 'c']) cluster.put(byDay(aDeployment(`shop/${name}`)))
    for (const name of ['x', 'y', 'z']) cluster.put(byNight(aDeployment(`shop/${name}`)))
    await start()
    await time.passTo(at('Mon 18:00'))
    // The first to ring finds the worker free.
    expect(
      moves()
        .slice(1, 4)
        .map((move) => move.split(' ')[0]),
    ).to.deep.equal(['wake', 'wake', 'wake'])
    expect(moves()).to.have.length(6)
  })

  it('acts at the start, once, on what became due before', async () => {
    const { cluster, told, moves } = await aStarted(at('Wed 3:00'), web)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(stateOf(cluster.live(web)).intent?.at).to.equal(at('Tue 18:00'))
    expect(told.lags, 'no timer fired for it').to.deep.equal([])
  })

  it('measures the lag from the instant that the timer was set to, to the patch', async () => {
    const { time, cluster, told } = await aStarted(at('Mon 17:59'), web)
    const letGo = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    await time.pass(700)
    letGo()
    await settled()
    expect(told.lags).to.deep.equal([0.7])
  })

  it('measures no lag of what no clock made due', async () => {
    const { time, cluster, told, start, moves } = aRig(at('Mon 20:00'))
    const pinned = web.snoozed({ at: at('Mon 18:00') }).pinned()
    cluster.put(pinned)
    await start()
    cluster.put(cluster.live(pinned).editedTo(2))
    await time.pass(10 * MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.lags).to.deep.equal([])
  })

  it('ends an override at its second, and does what the schedule wants by then', async () => {
    const { time, cluster, told, moves } = await aStarted(at('Mon 19:00'), web.overridden(at('Mon 20:00')))
    await time.passTo(at('Mon 20:00') - 1)
    expect(cluster.sent).to.equal(0)
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.events).to.deep.equal(['Normal Snoozed web', 'Normal OverrideExpired web'])
    expect(told.lags).to.deep.equal([0])
  })

  it('brings a pinned sleeper back to sleep', async () => {
    const { cluster, told, start, moves } = aRig(at('Mon 20:00'))
    const pinned = web.snoozed({ at: at('Mon 18:00') }).pinned()
    cluster.put(pinned)
    await start()
    cluster.put(cluster.live(pinned).scaledByHand(5))
    await settled()
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.events).to.deep.equal(['Warning PinEnforced web'])
  })

  it('reports what the API and other replicas wrote', async () => {
    const { cluster, told } = await aStarted(at('Mon 12:00'), web)
    cluster.put(web.snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' }))
    await settled()
    expect(told.events).to.deep.equal(['Normal Snoozed web'])
    expect(told.messages[0]).to.contain('k8s:alice')
    expect(cluster.sent).to.equal(0)
  })

  it('reports nothing that was written before it started', async () => {
    const { told } = await aStarted(at('Mon 20:00'), web.snoozed({ at: at('Mon 18:00') }))
    expect([told.events, told.operations]).to.deep.equal([[], []])
  })

  it('takes nothing back that changes while it looks at all of them for the first time', async () => {
    const { cluster, controller } = aRig(at('Mon 20:00'))
    const sleepers = Array.from({ length: 200 }, (_, i) =>
      byDay(aDeployment(`shop/web-${i}`)).snoozed({ at: at('Mon 18:00') }),
    )
    for (const sleeper of sleepers) cluster.put(sleeper)
    const starting = controller.start()
    for (const sleeper of sleepers) cluster.put(sleeper.pinned())
    await starting
    for (const sleeper of sleepers) cluster.put(cluster.live(sleeper).annotated(sleeper.annotations))
    await settled()
    for (const sleeper of sleepers) {
      expect(cluster.live(sleeper).annotations).to.deep.equal(sleeper.pinned().annotations)
    }
  })

  it('does nothing about workloads that are not managed, however they change', async () => {
    const { time, cluster, told, start, armed } = aRig(at('Mon 17:00'))
    const plain = aDeployment('shop/plain')
    cluster.put(plain)
    cluster.put(web.annotated({ enabled: 'false' }).annotated({ state: undefined }))
    await start()
    for (let replicas = 0; replicas < 5; replicas++) cluster.put(plain.withReplicas(replicas))
    await time.pass(3 * DAY)
    expect(cluster.sent).to.equal(0)
    expect(armed(), 'no timer either').to.equal(0)
    expect(told.events).to.deep.equal([])
  })

  it('never touches an excluded namespace', async () => {
    const { time, cluster, start, armed } = aRig(at('Mon 17:00'))
    const dns = byDay(aDeployment('kube-system/dns'))
    cluster.put(dns)
    await start()
    cluster.put(dns.scheduled('1:00-2:00'))
    await time.pass(DAY)
    expect(cluster.sent).to.equal(0)
    expect(armed()).to.equal(0)
  })

  it('forgets a workload that is deleted', async () => {
    const { time, cluster, armed } = await aStarted(at('Mon 17:59'), web)
    cluster.remove(web)
    await time.pass(DAY)
    expect(cluster.sent).to.equal(0)
    expect(armed()).to.equal(0)
  })

  it('decides nothing in a storm of status updates', async () => {
    let decisions = 0
    const rig = aRig(at('Mon 12:00'))
    const compile = rig.rules.compile
    rig.rules.compile = (text, zone) => {
      decisions++
      return compile(text, zone)
    }
    const { cluster, start } = rig
    cluster.put(web)
    await start()
    decisions = 0
    for (let ready = 0; ready < 1000; ready++) {
      cluster.put(
        cluster.live(web).with({ pods: { existing: 3 + (ready % 7), ready: 3, observedGeneration: 99 } }),
      )
    }
    await settled()
    expect(decisions).to.equal(0)
  })

  it('is stopped when what is in work is done; no timer is left and nothing more is sent', async () => {
    const { time, cluster, controller, start, moves, armed } = aRig(at('Mon 17:59'), { concurrency: 1 })
    cluster.put(web)
    cluster.put(byDay(aDeployment('shop/other')))
    await start()
    const letGo = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    let stopped = false
    const stopping = controller.stop().then(() => (stopped = true))
    await settled()
    expect(stopped).to.equal(false)
    letGo()
    await stopping
    expect(moves()).to.have.length(1)
    expect(armed()).to.equal(0)
    await time.pass(DAY)
    expect(cluster.sent).to.equal(1)
  })

  it('that failed in work while it was stopped leaves no timer', async () => {
    const { time, cluster, controller, armed } = await aStarted(at('Mon 17:59'), web)
    const letGo = cluster.hold()
    cluster.down()
    await time.passTo(at('Mon 18:00'))
    const stopping = controller.stop()
    letGo()
    await stopping
    expect(armed()).to.equal(0)
  })

  it('that leads again catches up, and hears of each change once', async () => {
    const { time, told, controller, start, moves } = await aStarted(at('Mon 17:59'), web)
    await controller.stop()
    await time.passTo(at('Mon 18:30'))
    expect(moves()).to.deep.equal([])
    await start()
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.events).to.deep.equal(['Normal Snoozed web'])
    await time.passTo(at('Tue 8:00') + HOUR)
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
  })

  it('that is started while it stops waits for what is in work', async () => {
    const { time, cluster, controller, moves } = await aStarted(at('Mon 17:59'), web)
    const letGo = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    const stopping = controller.stop()
    const starting = controller.start()
    letGo()
    await Promise.all([stopping, starting])
    await settled()
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(cluster.sent).to.equal(1)
    await time.passTo(at('Tue 8:00'))
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
  })
})
