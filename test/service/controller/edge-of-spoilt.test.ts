import { expect } from 'chai'
import { Refusal } from '../../../src/service/process/errors.ts'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { aStarted, web } from './rig.ts'

const asleep = web.snoozed({ at: at('Mon 18:00') })
const { state: _, ...stripped } = asleep.annotations

describe('an edge of a workload whose marks are not in order', () => {
  it('comes at its instant though the cluster refuses what restores them', async () => {
    const { time, cluster, moves } = await aStarted(at('Tue 7:00'), asleep)
    cluster.answer = (_key, change) =>
      change.replicas === undefined ? new Refusal('CLUSTER_REJECTED', 'no') : undefined
    cluster.put(cluster.live(asleep).with({ annotations: stripped }))
    await time.passTo(at('Tue 8:00') - 1)
    expect(moves()).to.deep.equal([])
    await time.pass(1)
    expect(moves()).to.deep.equal(['wake shop/web'])
  })

  it('comes at its instant though somebody strips the state again and again', async () => {
    const { time, cluster, moves } = await aStarted(at('Tue 7:00'), asleep)
    cluster.onChange((_, after) => {
      if (after?.annotations.state === undefined || after.replicas !== 0) return
      time.later(() => cluster.put(cluster.live(asleep).with({ annotations: stripped })), 100)
    })
    cluster.put(cluster.live(asleep).with({ annotations: stripped }))
    await time.passTo(at('Tue 8:00') - 1)
    expect(moves()).to.deep.equal([])
    await time.pass(SECOND)
    expect(moves()).to.deep.equal(['wake shop/web'])
    await time.pass(MINUTE)
  })
})
