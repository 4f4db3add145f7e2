import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const REPLICAS = 2

describeOn('SIGTERM during work', function (on) {
  this.timeout(240_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  /** As many as one subject may have under way. */
  const names = Array.from({ length: 16 }, (_, index) => `busy-${index}`)

  before(async () => {
    await here.cluster.create(
      here.namespace,
      names.map((name) => manifest('deployments', name, { replicas: REPLICAS })),
    )
    await inParallel(names, (name) => here.settled('deployments', name))
    await inParallel(names, (name) => here.workload('deployments', name).enable({ schedule: awakeNow() }))
    // A connection for each: one that the server has not accepted when it stops is reset, and its request is not in flight.
    await Promise.all(names.map((name) => here.workload('deployments', name).status()))
  })

  it('finishes the requests in flight and ends with 0', async () => {
    const requests = names.map((name) =>
      here.workload('deployments', name).attempt('POST', 'snooze?wait=60s'),
    )
    await Promise.race(requests)
    const ended = here.dormouse.terminate()
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(await ended).to.equal(0)
    expect(statuses).to.deep.equal(names.map(() => 200))
    for (const name of names) {
      const { spec, metadata } = await here.get('deployments', name)
      expect([spec.replicas, metadata.labels?.['dormouse.dev/asleep']]).to.deep.equal([0, String(REPLICAS)])
    }
  })

  it('then the next process completes the operations', async () => {
    await here.dormouse.start()
    for (const name of names)
      await eventually(`${name} to be completed`, async () => {
        const [newest] = (await here.workload('deployments', name).status()).operation_history
        return newest?.result === 'succeeded' && newest.type === 'snooze'
      })
  })
})
