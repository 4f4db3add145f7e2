import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

describeOn('kubectl delete deployment --cascade=orphan', function (on) {
  this.timeout(90_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  async function revisions(name: string) {
    const labels = ['-n', here.namespace, '-l', `app=${name}`] as const
    const { items } = await here.cluster.kubectl.json<{ items: KubectlObject[] }>(
      'get',
      'replicasets',
      ...labels,
    )
    return items
  }

  /** Two revisions: the older one with the marks of a sleeper, the newer one as the Deployment is now. */
  async function withTwoRevisions(name: string) {
    const workload = await here.create('deployments', name, { replicas: 2 })
    await workload.enable({ schedule: awakeNow() })
    await workload.snooze('?wait=60s')
    await eventually('the marks to be copied', async () =>
      (await revisions(name)).every(({ metadata }) =>
        metadata.annotations?.[ANNOTATION.state]?.includes('"asleep":true'),
      ),
    )
    const second = { spec: { template: { metadata: { labels: { revision: '2' } } } } }
    await here.kubectl('patch', 'deployment', name, '-p', JSON.stringify(second))
    await eventually('a second revision', async () => (await revisions(name)).length === 2)
    return workload
  }

  for (const state of ['asleep', 'awake'] as const) {
    it(`of a Deployment that is ${state}, with two revisions, wakes nothing and puts nothing to sleep`, async () => {
      const name = `orphaned-${state}`
      const workload = await withTwoRevisions(name)
      if (state === 'awake') await workload.wake('?wait=60s')
      await workload.schedule({ schedule: state === 'awake' ? awakeNow() : asleepNow() })
      await here.settled('deployments', name)
      const before = (await revisions(name)).map(({ metadata, spec }) => [metadata.name, spec.replicas])
      const since = Date.now()
      await here.kubectl('delete', 'deployment', name, '--cascade=orphan')
      await eventually('the ReplicaSets to be nobody’s', async () =>
        (await revisions(name)).every(({ metadata }) => !metadata.ownerReferences?.length),
      )
      // Hours in which they would have to move, were their copies of the marks believed.
      const other = state === 'awake' ? asleepNow() : awakeNow()
      await here.kubectl(
        'annotate',
        'replicasets',
        '-l',
        `app=${name}`,
        '--overwrite',
        `${ANNOTATION.schedule}=${other}`,
      )
      const witness = await here.create('deployments', `${name}-witness`, { replicas: 1 })
      await witness.enable()
      await witness.snooze('?wait=60s')
      const after = (await revisions(name)).map(({ metadata, spec }) => [metadata.name, spec.replicas])
      expect(after).to.deep.equal(before)
      const requests = await here.cluster.requestsSince(since)
      const written = requests.filter(({ verb, url }) => verb === 'patch' && url.includes('/replicasets/'))
      expect(written).to.deep.equal([])
    })
  }
})
