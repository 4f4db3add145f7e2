import { expect } from 'chai'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { aUser, aWorkload } from '../../support/fake-cluster.ts'
import { AUTH, Service } from './service.ts'
import { managed } from './states.ts'

describe('namespaces of the API', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.cluster })
    service.cluster.users.set('alices', aUser('alice'))
    service.cluster.users.set('bobs', aUser('bob'))
  })
  afterEach(() => service.stop())

  const get = (path: string, token = 'alices') => service.call(`GET ${path}`, { token })
  const namesOf = async (query = '', token = 'alices') =>
    (await get(`/api/v1/namespaces${query}`, token)).body.data.map(({ name }) => name)
  /** Lets them list these: `shop` all kinds, `shop/deployments` one. */
  const allow = (...groups: string[]) => {
    service.cluster.allows = (_user, { verb, namespace = '*', resource }) =>
      verb === 'list' && (groups.includes(namespace) || groups.includes(`${namespace}/${resource}`))
  }
  const put = (namespace: string, kind: Kind = 'deployments') =>
    service.cluster.put(managed({}, { namespace, kind }))

  it('are those with workloads, in order, with what their workloads make of them', async () => {
    put('b')
    put('a')
    put('a', 'statefulsets')
    const { body } = await get('/api/v1/namespaces')
    expect(body.message).to.equal('2 namespaces')
    expect(body.data.map(({ name, workloads }) => [name, workloads])).to.deep.equal([
      ['a', 2],
      ['b', 1],
    ])
    const one = await get('a')
    expect(one.body.data).to.deep.equal(body.data[0])
    expect(one.body.message).to.equal('2 workloads')
  })

  it('leave out the excluded ones, and workloads with an owner', async () => {
    put('kube-system')
    const owner = { apiVersion: 'x/v1', kind: 'Prometheus', name: 'k8s' }
    service.cluster.put(aWorkload({ namespace: 'owned', owner }))
    expect(await namesOf()).to.deep.equal([])
    expect((await get('kube-system')).code).to.equal('NAMESPACE_EXCLUDED')
    expect((await get('owned')).body.data).to.deep.include({ workloads: 0, counts: {} })
  })

  it('can be asked for by kind, and by the labels of workloads', async () => {
    put('a', 'statefulsets')
    service.cluster.put(managed({}, { namespace: 'b', labels: { team: 'web' } }))
    service.cluster.put(managed({}, { namespace: 'b', name: 'other' }))
    expect(await namesOf('?kind=statefulsets')).to.deep.equal(['a'])
    expect((await get('b?kind=statefulsets')).body.data).to.deep.include({ workloads: 0 })
    expect(await namesOf('?labelSelector=team%3Dweb')).to.deep.equal(['b'])
    expect((await get('b?labelSelector=team%3Dweb')).body.data).to.deep.include({ workloads: 1 })
  })

  it('count only what the caller may list', async () => {
    for (const kind of KINDS) put('shop', kind)
    put('bank')
    allow('shop/deployments', 'shop/daemonsets')
    const { body } = await get('/api/v1/namespaces')
    expect(body.data.map(({ name }) => name)).to.deep.equal(['shop'])
    expect(Object.keys(body.data[0]?.['counts'] ?? {})).to.have.members(['deployments', 'daemonsets'])
    expect((await get('shop')).body.data).to.deep.equal(body.data[0])
  })

  it('tell nothing of namespaces whose workloads the caller may not list, whether there are any or not', async () => {
    put('bank')
    allow('shop')
    const [there, nowhere] = await Promise.all([get('bank'), get('nowhere')])
    expect([there.status, there.code]).to.deep.equal([403, 'FORBIDDEN'])
    expect(there.body.error.message.replace('bank', 'nowhere')).to.equal(nowhere.body.error.message)
    expect(await namesOf()).to.deep.equal([])
  })

  it('have pages as if those that the caller may not see did not exist', async () => {
    for (let index = 100; index < 160; index += 1) put(`team-${index}`)
    allow('team-105', 'team-130', 'team-131', 'team-159')
    const pages: unknown[] = []
    for (let next: string | null = ''; next !== null;) {
      const { body } = await get(`/api/v1/namespaces?limit=2${next && `&continue=${next}`}`)
      pages.push(body.data.map(({ name }) => name))
      next = body.continue
    }
    expect(pages).to.deep.equal([
      ['team-105', 'team-130'],
      ['team-131', 'team-159'],
    ])
  })

  it('go on in the same list alone', async () => {
    for (const name of ['a', 'b', 'c']) put(name)
    const { body } = await get('/api/v1/namespaces?limit=1')
    const more = `continue=${body.continue}`
    expect(await namesOf(`?limit=9&${more}`)).to.deep.equal(['b', 'c'])
    for (const path of [`/api/v1/namespaces?kind=deployments&${more}`, `/api/v1/workloads?${more}`])
      expect((await get(path)).code, path).to.equal('VALIDATION_ERROR')
  })

  it('end a page after 5,000 workloads, and go on there', async () => {
    for (const namespace of ['a', 'b', 'c'])
      for (let index = 0; index < 2500; index += 1)
        service.cluster.put(aWorkload({ namespace, name: `w${index}` }))
    const first = await get('/api/v1/namespaces')
    expect(first.body.data.map(({ name }) => name)).to.deep.equal(['a', 'b'])
    expect(await namesOf(`?continue=${first.body.continue}`)).to.deep.equal(['c'])
  }).timeout(30_000)

  it('are refused while a kind is not watched, but for the other kinds', async () => {
    put('a')
    service.cluster.away.add('replicasets')
    expect((await get('a')).code).to.equal('CLUSTER_UNAVAILABLE')
    expect((await get('/api/v1/namespaces')).code).to.equal('CLUSTER_UNAVAILABLE')
    expect(await namesOf('?kind=deployments')).to.deep.equal(['a'])
  })
})
