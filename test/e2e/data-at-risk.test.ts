import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const RETENTION = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } }

describeOn('a StatefulSet whose volumes are deleted when it is scaled down', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  async function aDatabase(name: string) {
    const { spec, ...rest } = manifest('statefulsets', name, { replicas: 2 })
    await here.cluster.create(here.namespace, [{ ...rest, spec: { ...spec, ...RETENTION } }])
    await here.settled('statefulsets', name)
    return here.workload('statefulsets', name)
  }

  it('is not put to sleep by its schedule; record and Event say why', async () => {
    const database = await aDatabase('db')
    const { is_snoozed, current_replicas, reason } = await database.enable({ schedule: asleepNow() })
    expect({ is_snoozed, current_replicas }).to.deep.equal({ is_snoozed: false, current_replicas: 2 })
    expect(reason).to.contain('would delete its volumes')
    await eventually(
      'the Event',
      async () => (await here.kubectl('get', 'events', '-o', 'wide')).includes('DataAtRisk'),
      { timeout: 30_000 },
    )
    expect((await here.get('statefulsets', 'db')).spec.replicas).to.equal(2)
  })

  it('is refused to a request, unless it insists; then it wakes as any other', async () => {
    const database = await aDatabase('insisted')
    await database.enable()
    const refused = await database.attempt('POST', 'snooze')
    expect([refused.status, refused.body.error?.code]).to.deep.equal([409, 'DATA_AT_RISK'])
    expect(refused.body.error?.message).to.contain('?force=true')
    const asleep = await database.snooze('?force=true&wait=30s')
    expect(asleep).to.include({ is_snoozed: true, current_replicas: 0, last_replicas: 2 })
    expect(await database.wake('?wait=30s')).to.include({ is_snoozed: false, current_replicas: 2 })
  })
})
