import { expect } from 'chai'
import { Refusal } from '../../../src/process/errors.ts'
import type { Kind } from '../../../src/domain/workload/workload.ts'
import { at, SECOND } from '../../support/rules.ts'
import { aStatefulSet } from '../../support/workloads.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, aStarted, web } from './rig.ts'

const many = Array.from({ length: 500 }, (_, i) => web.with({ name: `web-${i}`, uid: `uid-${i}` }))

describe('the controller, while its watches are broken,', () => {
  it('tries nothing and logs nothing of any workload; then all that is due goes out at once', async () => {
    const { time, cluster, logged, start, moves } = aRig(at('Mon 17:59'), { concurrency: 32 })
    for (const workload of many) cluster.put(workload)
    await start()
    cluster.goes()
    await time.passTo(at('Mon 19:00'))
    expect([cluster.sent, logged]).to.deep.equal([0, []])
    cluster.returns()
    await time.pass(0)
    for (let turn = 0; turn < 20; turn++) await settled()
    expect(cluster.sent).to.equal(500)
    expect(moves()).to.have.length(500)
  })

  it('forgets what it knew where the cluster was restored from a backup meanwhile, also of what is newer since', async () => {
    const known = web.remembering({ counter: 7 }).with({ labels: { team: 'lost' } })
    const lost = known.snoozed({ at: at('Mon 12:00'), trigger: 'api' })
    const { cluster, time, logged } = await aStarted(at('Mon 12:30'), lost)
    cluster.goes()
    cluster.restoredTo(web.remembering({ counter: 2 }))
    cluster.returns()
    await time.pass(10 * SECOND)
    await settled()
    expect([cluster.sent, logged]).to.deep.equal([0, []])
    expect(cluster.live(web).replicas).to.equal(3)
  })

  it('gives up what waits in the queue without trying it, and comes back to it', async () => {
    const { time, cluster, logged, start, moves } = aRig(at('Mon 17:59'), { concurrency: 4 })
    for (const workload of many.slice(0, 50)) cluster.put(workload)
    await start()
    const release = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    expect(cluster.sent, 'as many as there are workers').to.equal(4)
    cluster.goes()
    release()
    cluster.delay = () => Promise.resolve()
    await settled()
    expect([cluster.sent, moves(), logged]).to.deep.equal([4, [], []])
    cluster.returns()
    for (let turn = 0; turn < 20; turn++) await settled()
    expect(new Set(moves()).size).to.equal(50)
    expect(cluster.sent, 'once more each of those that failed').to.equal(54)
  })

  it('takes a refusal for no answer: an API server that starts knows no roles yet', async () => {
    const { time, cluster, moves } = await aStarted(at('Mon 17:59'), web)
    const release = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    cluster.goes()
    cluster.answer = () => new Refusal('CLUSTER_REJECTED', 'no roles yet')
    release()
    cluster.delay = () => Promise.resolve()
    await settled()
    cluster.returns()
    await time.pass(SECOND)
    expect(moves()).to.deep.equal(['snooze shop/web'])
  })

  it('acts on the kinds that are watched: one that is not keeps no other', async () => {
    const { time, cluster, start, moves } = aRig(at('Mon 17:59'))
    const db = aStatefulSet('shop/db')
      .with(web.annotated(web.annotations))
      .with({ kind: 'statefulsets', name: 'db', uid: 'db' })
    const broken: Kind[] = ['statefulsets', 'replicasets']
    cluster.put(web)
    cluster.put(db)
    cluster.goes(broken)
    cluster.up()
    await start()
    await time.passTo(at('Mon 18:00'))
    expect(moves()).to.deep.equal(['snooze shop/web'])
    cluster.returns(broken)
    await time.pass(SECOND)
    expect(moves()).to.deep.equal(['snooze shop/web', 'snooze shop/db'])
  })
})
