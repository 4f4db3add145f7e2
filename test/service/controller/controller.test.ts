import { expect } from 'chai'
import { decoded } from '../../support/readable.ts'
import { at, DAY } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, aStarted, web } from './rig.ts'

const asleep = web.snoozed({ at: at('Mon 18:00') })
const named = (workload: typeof web, name: string) => workload.with({ name, uid: name })

describe('the controller', () => {
  it('acts on an edge at its second by one patch and an Event, counts it once the pods follow, and rests', async () => {
    const { time, cluster, told, moves } = await aStarted(at('Mon 17:00'), web)
    await time.passTo(at('Mon 18:00') - 1)
    expect(cluster.sent).to.equal(0)
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect([told.events, told.operations]).to.deep.equal([['Normal Snoozed web'], []])
    await time.pass(4000)
    cluster.podsFollow(web)
    await settled()
    expect(told.operations).to.deep.equal(['snooze schedule deployments succeeded'])
    expect(told.durations).to.deep.equal([4])
    await time.passTo(at('Tue 8:00') - 1)
    expect(cluster.patches.map(({ priority }) => priority)).to.deep.equal(['snooze'])
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
  })

  it('wakes before it puts to sleep, when an edge is both', async () => {
    const { time, cluster, start, moves } = aRig(at('Mon 17:59'), { concurrency: 1 })
    const byNight = web.scheduled('18:00-8:00').snoozed({ at: at('Mon 8:00') })
    for (const name of ['a', 'b', 'c']) cluster.put(named(web, name))
    for (const name of ['x', 'y', 'z']) cluster.put(named(byNight, name))
    await start()
    await time.passTo(at('Mon 18:00'))
    // The first to ring finds the worker free.
    const next = moves().slice(1, 4)
    expect(next.map((move) => move.split(' ')[0])).to.deep.equal(['wake', 'wake', 'wake'])
    expect(moves()).to.have.length(6)
  })

  it('acts at the start, once, on what became due before', async () => {
    const { cluster, told, moves } = await aStarted(at('Wed 3:00'), web)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(decoded(cluster.live(web).annotations).intent?.at).to.equal(at('Tue 18:00'))
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

  it('ends an override at its second, and does what the schedule wants by then', async () => {
    const { time, cluster, told, moves } = await aStarted(at('Mon 19:00'), web.overridden(at('Mon 20:00')))
    await time.passTo(at('Mon 20:00') - 1)
    expect(cluster.sent).to.equal(0)
    await time.pass(1)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.events).to.deep.equal(['Normal Snoozed web', 'Normal OverrideExpired web'])
    expect(told.lags).to.deep.equal([0])
  })

  it('reports what the API and other replicas wrote, and nothing that was written before it started', async () => {
    const { cluster, told } = await aStarted(at('Mon 12:00'), web.woken({ at: at('Mon 11:00') }))
    expect([told.events, told.operations]).to.deep.equal([[], []])
    cluster.put(cluster.live(web).snoozed({ at: at('Mon 12:00'), trigger: 'api', by: 'k8s:alice' }))
    await settled()
    expect(told.events).to.deep.equal(['Normal Snoozed web'])
    expect(told.messages[0]).to.contain('k8s:alice')
    expect(cluster.sent).to.equal(0)
  })

  it('takes nothing back that changes while it looks at all of them for the first time', async () => {
    const { cluster, controller } = aRig(at('Mon 20:00'))
    const sleepers = Array.from({ length: 200 }, (_, i) => named(asleep, `web-${i}`))
    for (const sleeper of sleepers) cluster.put(sleeper)
    const starting = controller.start()
    for (const sleeper of sleepers) cluster.put(sleeper.pinned())
    await starting
    for (const sleeper of sleepers) cluster.put(cluster.live(sleeper).annotated(sleeper.annotations))
    await settled()
    for (const sleeper of sleepers)
      expect(cluster.live(sleeper).annotations).to.deep.equal(sleeper.pinned().annotations)
  })

  for (const [what, workload] of [
    ['what is not managed', aDeployment('shop/web')],
    ['what is turned off', web.annotated({ enabled: 'false', state: undefined })],
    ['an excluded namespace', web.with({ namespace: 'kube-system' })],
  ] as const)
    it(`does nothing about ${what}, however it changes, and has no timer for it`, async () => {
      const { time, cluster, told, armed } = await aStarted(at('Mon 17:00'), workload)
      for (let replicas = 0; replicas < 5; replicas++) cluster.put(workload.withReplicas(replicas))
      await time.pass(3 * DAY)
      expect([cluster.sent, armed(), told.events]).to.deep.equal([0, 0, []])
    })

  it('decides nothing in a storm of status updates', async () => {
    const { cluster, planned } = await aStarted(at('Mon 12:00'), web)
    const before = planned()
    for (let ready = 0; ready < 1000; ready++)
      cluster.put(
        cluster.live(web).with({ pods: { existing: 3 + (ready % 7), ready: 3, observedGeneration: 99 } }),
      )
    await settled()
    expect(planned()).to.equal(before)
  })
})
