import { expect } from 'chai'
import { WriteGate } from '../../../src/kubernetes/write-gate.ts'
import { settled } from '../../support/fake-time.ts'
import { at, HOUR, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aLaggingRig } from './rig.ts'

const aScheduled = (path: string) =>
  aDeployment(path).withReplicas(3).enabled().scheduled('8:00-18:00,Mon-Fri')

describe('a key that the queue has handed out', () => {
  it('is handed out again as soon as its write ends, if an edge passed meanwhile', async () => {
    const { cluster, time, controller } = aLaggingRig(at('Mon 17:59'))
    const web = aScheduled('shop/web')
    cluster.put(web)
    await controller.start()
    await time.passTo(at('Mon 18:00:01'))
    cluster.podsFollow(web)
    await time.passTo(at('Tue 7:59:58'))
    cluster.requestDelay = 3 * SECOND
    cluster.put(cluster.live(web).labelled(undefined))
    await settled()
    cluster.onWritten = () => void (cluster.requestDelay = 0)
    await time.passTo(at('Tue 8:00:02'))
    expect(cluster.live(web).replicas).to.equal(3)
  })

  it('is not written once the clock was set back to before its edge', async () => {
    const { cluster, time, controller } = aLaggingRig(at('Mon 17:59'), { concurrency: 1 })
    for (const path of ['shop/a', 'shop/b']) cluster.put(aScheduled(path))
    await controller.start()
    cluster.requestDelay = SECOND
    await time.passTo(at('Mon 18:00'))
    await settled()
    expect(cluster.sent).to.equal(1)
    time.jump(-HOUR)
    await time.pass(5 * SECOND)
    const snoozes = cluster.patches.filter(({ change }) => change.replicas === 0)
    expect(snoozes.length).to.equal(1)
  })

  it('counts no lag from an edge that passed before the controller was stopped', async () => {
    const { cluster, time, controller, told } = aLaggingRig(at('Mon 17:59'), { concurrency: 1 })
    for (const path of ['shop/a', 'shop/b']) cluster.put(aScheduled(path))
    await controller.start()
    cluster.requestDelay = SECOND
    await time.passTo(at('Mon 18:00'))
    await settled()
    const stopped = controller.stop()
    await time.pass(3 * SECOND)
    await stopped
    cluster.requestDelay = 0
    await time.passTo(at('Mon 19:00'))
    await controller.start()
    await time.pass(SECOND)
    expect(Math.max(0, ...told.lags)).to.be.below(5)
  })
})

describe('a request that waits at the write gate', () => {
  it('goes before a key that asks for room at the instant there is some', async () => {
    let now = 0
    const gate = new WriteGate({ writesPerSecond: 1, now: () => now })
    const sent: string[] = []
    const turn = { key: 'deployments/shop/web' }
    await gate.run('snooze', async () => void sent.push('first'), turn)
    const request = gate.run('request', async () => void sent.push('request'), turn)
    now = 1000
    expect(gate.hasRoom('wake')).to.equal(false)
    await request
    expect(sent).to.deep.equal(['first', 'request'])
  })
})
