import { expect } from 'chai'
import type { BulkCounts, BulkItem } from '../../src/service/api/bulk/item.ts'
import { noneOfAll, type NamespaceRecord } from '../../src/domain/records/namespace-record.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import type { CallOptions, Method } from '../support/api-client.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { createNamespace, served } from '../support/served.ts'

interface Bulk {
  readonly items: readonly BulkItem[]
  readonly counts: BulkCounts
}

const MOST = 500

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
    expect(answer.body.data.counts).to.deep.equal({ done: 2, unchanged: 0, refused: 2 })
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

  it('GET of the namespace counts them by state, and says what was saved', async () => {
    const { body } = await here.api.call<NamespaceRecord>('GET', `/namespaces/${here.namespace}`)
    expect(body.data.counts).to.deep.equal({
      deployments: { ...noneOfAll(), snoozed: 2, pinned_active: 1, unmanaged: 1 },
    })
    expect(body.data).to.include({ name: here.namespace, workloads: 4, next_transition: null })
    const { body: list } = await here.api.call<NamespaceRecord[]>('GET', '/namespaces?limit=500')
    expect(list.data.map(({ name }) => name)).to.include(here.namespace)
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

  describe('500 workloads', () => {
    const many = `${here.namespace}-many`
    const inMany = (method: Method, action: string) =>
      here.api.call<Bulk>(method, `/namespaces/${many}/${action}`)
    /** Without pods: only the writes matter. */
    const object = (index: number) =>
      manifest('deployments', `wave-${index}`, {
        replicas: 1 + (index % 3),
        annotations: annotated(),
        paused: true,
      })

    before('they are there', async () => {
      await createNamespace(here.cluster, many)
      await here.cluster.create(
        many,
        Array.from({ length: MOST }, (_, index) => object(index)),
      )
      await eventually('all to be known', async () => {
        const { body } = await here.api.call<NamespaceRecord>('GET', `/namespaces/${many}`)
        return body.data.workloads === MOST
      })
    })
    after(() => here.cluster.admin.expect('DELETE', `/api/v1/namespaces/${many}`))

    it('are put to sleep by one request; a second one at the same time is refused', async () => {
      const [first, second] = await Promise.all([inMany('POST', 'snooze'), inMany('POST', 'wake')])
      const answers = [first, second].toSorted((a, b) => a.status - b.status)
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 429])
      expect(answers[1]?.body.error.code).to.equal('RATE_LIMITED')
      await inMany('POST', 'snooze')
      const again = await inMany('POST', 'snooze')
      expect(again.body.data.counts).to.deep.equal({ done: 0, unchanged: MOST, refused: 0 })
    })

    it('are woken in one wave, each to its count by one write', async () => {
      const begun = Date.now()
      const { body } = await inMany('POST', 'wake')
      const seconds = (Date.now() - begun) / 1000
      expect(body.data.counts).to.deep.equal({ done: MOST, unchanged: 0, refused: 0 })
      print([`${MOST} woken by one request in ${seconds.toFixed(1)} s`])
      const { items = [] } = await here.cluster.admin.expect(
        'GET',
        `/apis/apps/v1/namespaces/${many}/deployments`,
      )
      for (const { metadata, spec } of items) {
        const index = Number(metadata?.name?.replace('wave-', ''))
        expect(spec?.['replicas'], metadata?.name).to.equal(1 + (index % 3))
      }
      const histories = await here.api.call<StatusRecord[]>(
        'GET',
        `/namespaces/${many}/deployments?limit=500`,
      )
      const woken = histories.body.data.map(({ operation_history: [newest] }) => newest)
      const at = woken.map((operation) => Date.parse(operation?.timestamp ?? ''))
      expect(Math.min(...at)).to.be.at.least(begun)
      expect(woken.every((operation) => operation?.by === 'local:tester')).to.equal(true)
    })

    it('and one more are refused, and nothing is changed', async () => {
      await here.cluster.create(many, [object(MOST)])
      const answer = await eventually('the 501st to be known', async () => {
        const answer = await inMany('POST', 'snooze?dryRun=true')
        return answer.status === 409 && answer
      })
      expect(answer.body.error.code).to.equal('TOO_MANY_WORKLOADS')
      const { status } = await inMany('POST', 'snooze')
      expect(status).to.equal(409)
      const { body } = await here.api.call<NamespaceRecord>('GET', `/namespaces/${many}`)
      expect(body.data.counts).to.deep.equal({ deployments: { ...noneOfAll(), awake: MOST + 1 } })
    })
  })
})
