import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import type { WorkloadClient } from '../support/api-client.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Dormouse } from '../support/dormouse.ts'
import { enforced } from '../support/enforced.ts'

const SCALED: readonly Kind[] = ['deployments', 'statefulsets', 'replicasets']

/**
 * Tests two replicas, of which the API server calls only one: a pin that the other replica's API has answered
 * is enforced at once, and so is its end.
 */
export function replicasAgree(on: () => Cluster, rounds: number): void {
  const here = enforced(on)
  let other: Dormouse
  let otherPort: number

  before('a second replica runs', async function () {
    this.timeout(60_000)
    ;({ dormouse: other, port: otherPort } = await here.joined())
    for (const kind of SCALED) {
      await here.enabled(kind, 'shared', { replicas: 1 })
    }
  })

  it(`${rounds} rounds asking the one that does not pin: no wrong verdict`, async function () {
    this.timeout(30_000 + rounds * 2000)
    here.balancer.to([otherPort], { cut: true })
    await here.inForce()
    await play(rounds, (kind) => here.workload(kind, 'shared'))
  })

  it(`${rounds} rounds asking the one that pins: no wrong verdict`, async function () {
    this.timeout(30_000 + rounds * 2000)
    await play(rounds, (kind) => other.api.workload(kind, here.namespace, 'shared'))
  })

  async function play(count: number, through: (kind: Kind) => WorkloadClient): Promise<void> {
    const wrong: string[] = []
    for (let round = 0; round < count; round += 1) {
      const kind = SCALED[round % SCALED.length] ?? 'deployments'
      await through(kind).pin()
      const pinned = await here.scale(kind, 'shared', 3 + (round % 2))
      if (pinned.status !== 403) wrong.push(`round ${round}, pinned: ${pinned.status}`)
      await through(kind).unpin()
      const free = await here.scale(kind, 'shared', 1 + (round % 2))
      if (free.status !== 200) wrong.push(`round ${round}, free: ${free.status} ${free.body.message}`)
    }
    expect(wrong).to.deep.equal([])
  }
}
