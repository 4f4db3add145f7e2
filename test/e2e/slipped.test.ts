import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { agree, marksOf } from './agreement.ts'

const COUNT = 3
const SETTINGS = { newWorkloadGrace: '0s', backoff: { maxOperations: 19 } }

/** No webhook answers here, as where the API server does not reach it and its policy is Ignore. */
describeOn('a held workload whose count slips while nobody answers', function (on) {
  this.timeout(240_000)
  const here = throughFaults(on, SETTINGS)
  const slips: readonly [kind: Kind, name: string, to: number, then: number][] = [
    ['deployments', 'pinned-up', 5, COUNT],
    ['replicasets', 'pinned-down', 1, COUNT],
    ['statefulsets', 'pinned-to-zero', 0, COUNT],
    ['deployments', 'pinned-asleep', 5, 0],
    ['deployments', 'overridden', 4, 4],
    ['deployments', 'overridden-asleep', 5, 5],
  ]

  /** Ends once Dormouse acts again. */
  const gaps: readonly [string, (slip: () => Promise<void>) => Promise<void>][] = [
    [
      'while Dormouse is down',
      async (slip) => {
        await here.dormouse.terminate()
        await slip()
        await here.dormouse.start()
      },
    ],
    [
      'while it sees nothing of the cluster',
      async (slip) => {
        const back = here.proxy.away()
        await slip()
        back()
      },
    ],
    [
      'before another leader takes over from one that was killed',
      async (slip) => {
        const other = await Dormouse.start(on(), SETTINGS)
        await here.dormouse.kill()
        await slip()
        await eventually('the other to lead', () => other.log.some(({ msg }) => msg === 'this replica leads'))
        await other.stop()
        await here.dormouse.start()
      },
    ],
  ]

  for (const [at, [when, during]] of gaps.entries())
    it(`${when}: what is pinned is put back, and what is overridden stays so`, async () => {
      // New ones each time: once Dormouse has woken a workload and given its count back, nothing says who scales it.
      const held = slips.map(([kind, name, ...counts]) => [kind, `${name}-${at}`, ...counts] as const)
      for (const [kind, name] of held) {
        const workload = await here[name.includes('asleep') ? 'asleep' : 'enabled'](kind, name, {
          replicas: COUNT,
        })
        await (name.startsWith('pinned') ? workload.pin() : workload.override())
      }
      await during(async () => {
        for (const [kind, name, to] of held) expect(await scaledByKubectl(kind, name, to), name).to.equal(200)
      })
      await eventually('all to be as they are held', async () => {
        const counts = await Promise.all(
          held.map(async ([kind, name]) => [name, marksOf(await here.get(kind, name)).replicas]),
        )
        expect(counts).to.deep.equal(held.map(([, name, , then]) => [name, then]))
        return true
      })
      for (const [kind, name, , then] of held) {
        const record = await agree(here, kind, name)
        expect(record, name).to.include({ is_snoozed: then === 0, current_replicas: then })
        if (then === 0) expect(record.last_replicas).to.equal(COUNT)
      }
    })

  /** As `kubectl scale` names itself; another client may be an autoscaler. Returns the answer's status. */
  async function scaledByKubectl(kind: Kind, name: string, replicas: number): Promise<number> {
    const path = `${here.path(kind, name)}/scale?fieldManager=kubectl`
    return (await on().admin.send('PATCH', path, { spec: { replicas } })).status
  }
})
