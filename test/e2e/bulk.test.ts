import { expect } from 'chai'
import type { BulkCounts } from '../../src/domain/records/bulk.ts'
import type { BulkItem } from '../../src/service/api/bulk/item.ts'
import type { CallOptions, Method } from '../support/api-client.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { served } from '../support/served.ts'

interface Bulk {
  readonly items: readonly BulkItem[]
  readonly counts: BulkCounts
}

describeOn('a namespace at a time', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19 } })

  const bulk = (method: Method, action: string, options?: CallOptions) =>
    here.api.call<Bulk>(method, `/namespaces/${here.namespace}/${action}`, options)
  const resultsOf = ({ body }: Awaited<ReturnType<typeof bulk>>) =>
    Object.fromEntries(body.data.items.map(({ name, result, code }) => [name, code ?? result]))
  const replicas = async (name: string) => (await here.get('deployments', name)).spec.replicas

  before('workloads run, one is pinned', async () => {
    await here.enabled('deployments', 'api', { replicas: 2, labels: { tier: 'back' } })
    await here.enabled('deployments', 'web', { replicas: 3, labels: { tier: 'front' } })
    const held = await here.enabled('deployments', 'held')
    await held.pin()
    await here.create('deployments', 'unmanaged')
  })

  it('a dry run says what would be, and changes nothing', async () => {
    const versions = async () =>
      (await here.list('deployments')).map(({ metadata }) => JSON.stringify(metadata.annotations))
    const before = await versions()
    const answer = await bulk('POST', 'snooze?dryRun=true')
    expect(answer.body.data.counts).to.deep.equal({ done: 2, unchanged: 0, left_out: 0, refused: 2 })
    expect(await versions()).to.deep.equal(before)
  })

  it('pinned ones are refused while others are done; wait waits for all their pods', async () => {
    const answer = await bulk('POST', 'snooze?wait=60s')
    expect(answer.status).to.equal(200)
    expect(resultsOf(answer)).to.deep.equal({
      api: 'done',
      web: 'done',
      held: 'PINNED',
      unmanaged: 'NOT_ENABLED',
    })
    for (const name of ['api', 'web']) {
      const record = await here.workload('deployments', name).status()
      expect(record).to.include({ is_snoozed: true, operation_in_progress: false, snooze_requested: true })
      expect(record.operation_history[0]).to.include({ trigger: 'api', by: 'local:tester' })
      await eventually('its Event', async () =>
        (await here.events(name)).some(({ reason }) => reason === 'Snoozed'),
      )
    }
  })

  it('a selector narrows it; each wakes to its own count', async () => {
    const answer = await bulk('POST', 'wake?labelSelector=tier%3Dfront&wait=60s')
    expect(resultsOf(answer)).to.deep.equal({ web: 'done' })
    expect([await replicas('web'), await replicas('api')]).to.deep.equal([3, 0])
    await bulk('POST', 'wake')
    expect(await replicas('api')).to.equal(2)
  })

  it('rights that differ by workload decide each by itself', async () => {
    const token = await here.cluster.accountToken(
      here.namespace,
      'one-of-them',
      { verbs: ['list'], resources: ['deployments'] },
      { verbs: ['update'], resources: ['deployments/scale'], resourceNames: ['web'] },
    )
    const answer = await bulk('POST', 'snooze', { token })
    expect(resultsOf(answer)).to.deep.equal({
      api: 'FORBIDDEN',
      held: 'FORBIDDEN',
      unmanaged: 'FORBIDDEN',
      web: 'done',
    })
    expect([await replicas('web'), await replicas('api')]).to.deep.equal([0, 2])
    const { operation_history: [newest] } = await here.workload('deployments', 'web').status() // prettier-ignore
    expect(newest?.by).to.equal(`k8s:system:serviceaccount:${here.namespace}:one-of-them`)
    const none = await here.cluster.accountToken(here.namespace, 'reader', {
      verbs: ['list'],
      resources: ['deployments'],
    })
    const refused = await bulk('POST', 'wake', { token: none })
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'FORBIDDEN'])
    expect((await here.api.call('GET', `/namespaces/${here.namespace}`, { token: none })).status).to.equal(
      200,
    )
  })
})
