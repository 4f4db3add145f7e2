import { expect } from 'chai'
import { WriteGate } from '../../../src/kubernetes/write-gate.ts'
import { settled } from '../../support/fake-time.ts'
import { at, HOUR, SECOND } from '../../support/rules.ts'
import { aLaggingRig, web } from './rig.ts'

describe('a key that the queue has handed out', () => {
  for (const [what, arrival] of [
    ['ends', () => {}],
    [
      'ends with a fault of our own',
      () => {
        throw new TypeError('a fault of ours')
      },
    ],
  ] as const)
    it(`is handed out again as soon as its write ${what}, if an edge passed meanwhile`, async () => {
      const { cluster, time, controller } = aLaggingRig(at('Mon 17:59'))
      cluster.put(web)
      await controller.start()
      await time.passTo(at('Mon 18:00:01'))
      cluster.podsFollow(web)
      await time.passTo(at('Tue 7:59:58'))
      // The patch that restores the label is in flight for three seconds.
      cluster.requestDelay = 3 * SECOND
      cluster.onArrival = () => {
        cluster.requestDelay = 0
        arrival()
      }
      cluster.put(cluster.live(web).labelled(undefined))
      await settled()
      await time.passTo(at('Tue 8:00:02'))
      expect(cluster.live(web).replicas).to.equal(3)
    })

  /** Two workloads, of which the only worker writes one while their edge passes. */
  async function oneInHands() {
    const rig = aLaggingRig(at('Mon 17:59'), { concurrency: 1 })
    const { cluster, time, controller } = rig
    for (const name of ['a', 'b']) cluster.put(web.with({ name, uid: name }))
    await controller.start()
    cluster.requestDelay = SECOND
    await time.passTo(at('Mon 18:00'))
    await settled()
    expect(cluster.sent).to.equal(1)
    return rig
  }

  it('is not written once the clock was set back to before its edge', async () => {
    const { cluster, time } = await oneInHands()
    time.jump(-HOUR)
    await time.pass(5 * SECOND)
    expect(cluster.patches.filter(({ change }) => change.replicas === 0)).to.have.length(1)
  })

  it('counts no lag from an edge that passed before the controller was stopped', async () => {
    const { cluster, time, controller, told } = await oneInHands()
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
