import { expect } from 'chai'
import { keyOf } from '../../src/domain/workload.ts'
import { WriteGate } from '../../src/kubernetes/write-gate.ts'
import { at, HOUR, SECOND } from '../support/rules.ts'
import { settled } from '../support/fake-time.ts'
import { aTrueRig, SCHEDULED } from './true-cluster.ts'

describe('rules of the queue that no test of before proves', () => {
  it('an edge that passes while a write is on its way is carried out as soon as that has ended', async () => {
    const { cluster, time, controller, settled: done } = aTrueRig(at('Mon 17:59'))
    const web = cluster.create('deployments', 'web', { ...SCHEDULED })
    await controller.start()
    await time.passTo(at('Mon 18:00:01'))
    cluster.follow(web)
    await time.passTo(at('Tue 7:59:58'))
    cluster.reach = 3 * SECOND
    cluster.edit(web, ({ metadata }) => void delete metadata.labels['dormouse.dev/asleep'])
    await done()
    cluster.onWritten = () => void (cluster.reach = 0)
    await time.passTo(at('Tue 8:00:02'))
    expect(cluster.objects.get(keyOf(web)).spec.replicas).to.equal(3)
  })

  it('a plan is not sent once the clock was set back', async () => {
    const { cluster, time, controller, settled: done } = aTrueRig(at('Mon 17:59'), { concurrency: 1 })
    for (const name of ['a', 'b']) cluster.create('deployments', name, { ...SCHEDULED })
    await controller.start()
    cluster.reach = SECOND
    await time.passTo(at('Mon 18:00'))
    await done()
    expect(cluster.log.length).to.equal(1)
    time.jump(-HOUR)
    await time.pass(5 * SECOND)
    const snoozes = cluster.log.filter(({ ops }) =>
      JSON.stringify(ops).includes('"op":"replace","path":"/spec/replicas","value":0'),
    )
    expect(snoozes.length).to.equal(1)
  })

  it('a request that waits goes ahead of a key that asks for room at the instant there is some', async () => {
    let now = 0
    const gate = new WriteGate({ writesPerSecond: 1, now: () => now })
    const sent: string[] = []
    await gate.run('snooze', async () => void sent.push('first'))
    const request = gate.run('request', async () => void sent.push('request'))
    now = 1000
    expect(gate.hasRoom('wake')).to.equal(false)
    await request
    expect(sent).to.deep.equal(['first', 'request'])
  })

  it('a lag is not measured from an edge of an earlier term', async () => {
    const { cluster, time, controller, told } = aTrueRig(at('Mon 17:59'), { concurrency: 1 })
    cluster.create('deployments', 'a', { ...SCHEDULED })
    cluster.create('deployments', 'b', { ...SCHEDULED })
    await controller.start()
    cluster.reach = SECOND
    await time.passTo(at('Mon 18:00'))
    await settled()
    const stopped = controller.stop()
    await time.pass(3 * SECOND)
    await stopped
    cluster.reach = 0
    await time.passTo(at('Mon 19:00'))
    await controller.start()
    await time.pass(SECOND)
    expect(Math.max(0, ...told.lags)).to.be.below(5)
  })
})
