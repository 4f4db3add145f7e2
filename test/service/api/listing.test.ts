import { expect } from 'chai'
import fc from 'fast-check'
import { page } from '../../../src/service/api/listing.ts'
import { KINDS, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service } from './service.ts'
import { managed } from './states.ts'

describe('lists of the API', () => {
  let service: Service
  beforeEach(async () => (service = await Service.start()))
  afterEach(() => service.stop())

  const namesOf = async (request: string) => {
    const { body } = await service.call(request)
    return body.data.map(({ namespace, name }) => `${String(namespace)}/${String(name)}`)
  }

  it('show every workload of every kind, in one order', async () => {
    for (const kind of KINDS)
      for (const namespace of ['b', 'a']) service.cluster.put(aWorkload({ kind, namespace }))
    const { body } = await service.call('GET /api/v1/workloads')
    expect(body.data.map(({ namespace, type }) => `${String(namespace)} ${String(type)}`)).to.deep.equal([
      'a cronjob', 'a daemonset', 'a deployment', 'a replicaset', 'a statefulset',
      'b cronjob', 'b daemonset', 'b deployment', 'b replicaset', 'b statefulset',
    ]) // prettier-ignore
    expect(body.continue).to.equal(null)
    expect(await namesOf('GET /api/v1/workloads?namespace=a&kind=daemonsets')).to.deep.equal(['a/web'])
    expect(await namesOf('GET a/daemonsets')).to.deep.equal(['a/web'])
    expect(await namesOf('GET none/daemonsets')).to.deep.equal([])
  })

  it('leave out excluded namespaces, and workloads with an owner of any kind; GET shows one with a note', async () => {
    const owner = { apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', name: 'k8s' }
    for (const kind of KINDS) service.cluster.put(aWorkload({ kind, name: 'owned', owner }))
    service.cluster.put(aWorkload({ namespace: 'kube-system' }))
    service.cluster.put(aWorkload())
    expect(await namesOf('GET /api/v1/workloads')).to.deep.equal(['shop/web'])
    expect(await namesOf('GET shop/statefulsets')).to.deep.equal([])
    const { body } = await service.call('GET shop/statefulsets/owned')
    expect(body.message).to.match(/ Note: it belongs to Prometheus k8s, which may scale it back$/)
    expect(body.data['name']).to.equal('owned')
  })

  it('show what an operator owns once it is managed, in lists, sums and requests for many', async () => {
    const owner = { apiVersion: 'rabbitmq.com/v1beta1', kind: 'RabbitmqCluster', name: 'queue' }
    service.cluster.put(managed({}, { kind: 'statefulsets', name: 'queue', owner }))
    service.cluster.put(aWorkload({ kind: 'statefulsets', name: 'plain', owner }))
    expect(await namesOf('GET /api/v1/workloads')).to.deep.equal(['shop/queue'])
    expect(await namesOf('GET shop/statefulsets')).to.deep.equal(['shop/queue'])
    expect((await service.call('GET /api/v1/namespaces/shop')).body.data).to.include({ workloads: 1 })
    const { body } = await service.call('POST shop/snooze')
    expect(body.message).to.equal('1 done, 0 unchanged, 0 refused')
    expect(await namesOf('GET /api/v1/workloads?state=snoozed')).to.deep.equal(['shop/queue'])
  })

  it('have 100 records by default', async () => {
    for (let index = 0; index < 101; index += 1) service.cluster.put(aWorkload({ name: `w${index}` }))
    expect(await namesOf('GET shop/deployments')).to.have.length(100)
    expect(await namesOf('GET shop/deployments?limit=500')).to.have.length(101)
  })

  it('resume at continue, even if workloads were made and deleted meanwhile', async () => {
    for (const name of ['b', 'd', 'f', 'h']) service.cluster.put(aWorkload({ name }))
    const first = await service.call('GET shop/deployments?limit=2')
    expect(first.body.data.map(({ name }) => name)).to.deep.equal(['b', 'd'])
    service.cluster.put(aWorkload({ name: 'a' }))
    service.cluster.put(aWorkload({ name: 'e' }))
    service.cluster.remove(aWorkload({ name: 'd' }))
    const second = await service.call(`GET shop/deployments?limit=9&continue=${first.body.continue ?? ''}`)
    expect(second.body.data.map(({ name }) => name)).to.deep.equal(['e', 'f', 'h'])
    expect(second.body.continue).to.equal(null)
  })
})

describe('pages', () => {
  const name = fc.stringMatching(/^[a-c](?:[-.]?[a-c]){0,3}$/)
  const workload = fc
    .record({ kind: fc.constantFrom(...KINDS), namespace: name, name })
    .map((key) => aWorkload(key))
  const { signal } = new AbortController()

  type Sees = (namespace: string, kind: string) => boolean

  /** All pages of a list: the uids on each, and where each ended. */
  async function pagesOf(workloads: readonly Workload[], limit: number, sees: Sees) {
    const pages: { uids: string[]; end: string | null }[] = []
    let after = ''
    for (;;) {
      const visible = async (namespace: string, kind: string) => sees(namespace, kind)
      const found = await page(workloads, { limit, after, chosen: () => true, visible, signal })
      pages.push({ uids: found.workloads.map(({ uid }) => uid), end: found.end })
      if (found.end === null) return pages
      after = found.end
    }
  }

  const all = fc.uniqueArray(workload, { selector: ({ uid }) => uid, maxLength: 60 })
  const limits = fc.integer({ min: 1, max: 9 })

  it('of any size show each visible workload exactly once, as if invisible ones did not exist', async () => {
    await fc.assert(
      fc.asyncProperty(all, limits, fc.func(fc.boolean()), async (workloads, limit, sees) => {
        const visible = workloads.filter(({ namespace, kind }) => sees(namespace, kind))
        const pages = await pagesOf(workloads, limit, sees)
        expect(pages).to.deep.equal(await pagesOf(visible, limit, () => true))
        for (const { uids } of pages) expect(uids).to.have.length.at.most(limit)
        if (pages.length > 1) expect(pages.at(-1)?.uids, 'the last page').not.to.deep.equal([])
        const found = pages.flatMap(({ uids }) => uids)
        const expected = visible.map(({ uid }) => uid)
        expect(found).to.have.length(expected.length)
        expect(found).to.have.members(expected)
      }),
    )
  })

  it('examine 20,000 workloads at most, and resume there', async () => {
    const workloads = Array.from({ length: 20_001 }, (_, index) =>
      aWorkload({ name: `w${String(index).padStart(5, '0')}` }),
    )
    const request = {
      limit: 10,
      visible: async () => true,
      chosen: (each: WorkloadKey) => each.name === 'w20000',
      signal,
    }
    const first = await page(workloads, { ...request, after: '' })
    expect(first.workloads).to.have.length(0)
    const second = await page(workloads, { ...request, after: first.end ?? '' })
    expect(second.workloads.map((each) => each.name)).to.deep.equal(['w20000'])
    expect(second.end).to.equal(null)
  })

  it('ask the cluster nothing more once the client is gone', async () => {
    const gone = new AbortController()
    let questions = 0
    const workloads = Array.from({ length: 100 }, (_, index) => aWorkload({ namespace: `n${index}` }))
    const visible = async () => {
      questions += 1
      gone.abort()
      return false
    }
    await page(workloads, { limit: 1, after: '', chosen: () => true, visible, signal: gone.signal })
    expect(questions).to.be.at.most(4)
  })
})
