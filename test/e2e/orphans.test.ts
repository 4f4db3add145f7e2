import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { revisionsOf, rollOutSecond } from './revisions.ts'

describeOn('kubectl delete deployment --cascade=orphan', function (on) {
  this.timeout(150_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  /** With two revisions, the older one with copied marks of a sleeping workload. */
  async function withTwoRevisions(name: string) {
    const workload = await here.asleep('deployments', name, { replicas: 2, schedule: awakeNow() })
    await rollOutSecond(here, name, '"asleep":true')
    return workload
  }

  for (const state of ['asleep', 'awake'] as const) {
    it(`of a Deployment that is ${state}: its two ReplicaSets are neither woken nor snoozed`, async () => {
      const name = `orphaned-${state}`
      const workload = await withTwoRevisions(name)
      if (state === 'awake') await workload.wake('?wait=60s')
      await workload.schedule({ schedule: state === 'awake' ? awakeNow() : asleepNow() })
      await here.settled('deployments', name)
      const before = (await revisionsOf(here, name)).map(({ metadata, spec }) => [
        metadata.name,
        spec.replicas,
      ])
      const since = Date.now()
      await here.kubectl('delete', 'deployment', name, '--cascade=orphan')
      await eventually('the ReplicaSets to have no owner', async () =>
        (await revisionsOf(here, name)).every(({ metadata }) => !metadata.ownerReferences?.length),
      )
      // By this schedule they would have to be woken or snoozed, if their copied marks counted.
      const other = state === 'awake' ? asleepNow() : awakeNow()
      await here.kubectl(
        'annotate',
        'replicasets',
        '-l',
        `app=${name}`,
        '--overwrite',
        `${ANNOTATION.schedule}=${other}`,
      )
      await here.asleep('deployments', `${name}-witness`, { replicas: 1 })
      const after = (await revisionsOf(here, name)).map(({ metadata, spec }) => [
        metadata.name,
        spec.replicas,
      ])
      expect(after).to.deep.equal(before)
      const requests = await here.cluster.requestsSince(since)
      const written = requests.filter(({ verb, url }) => verb === 'write' && url.includes('/replicasets/'))
      expect(written).to.deep.equal([])
    })
  }
})
