import { expect } from 'chai'
import { aUser, aWorkload } from '../../support/fake-cluster.ts'
import { AUTH, NOON, Service, token } from '../api/service.ts'
import { managed, pinned } from '../api/states.ts'

describe('tokens of the cluster', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.cluster })
    service.cluster.put(managed())
    service.cluster.users.set('alices', aUser('alice'))
  })
  afterEach(() => service.stop())

  const call = (request: string, bearer = 'alices') => service.call(request, { token: bearer })

  it('are cached: good ones for 10 seconds, bad ones for 2', async () => {
    for (const [bearer, cached] of [
      ['alices', 10_000],
      ['bobs', 2000],
    ] as const) {
      service.cluster.reviews = 0
      await call('GET shop/deployments/web', bearer)
      service.now += cached - 1
      await call('GET shop/deployments/web', bearer)
      expect(service.cluster.reviews).to.equal(1)
      service.now += 2
      await call('GET shop/deployments/web', bearer)
      expect(service.cluster.reviews).to.equal(2)
    }
  })

  it('are reviewed once for requests that come together', async () => {
    await Promise.all(Array.from({ length: 20 }, () => call('GET shop/deployments/web')))
    expect(service.cluster.reviews).to.equal(1)
  })

  it('are not cached beyond their expiry, and those that are expired cost no review', async () => {
    const expiring = async (seconds: number) => await token({ claims: { exp: NOON / 1000 + seconds } })
    const bearer = await expiring(3)
    service.cluster.users.set(bearer, aUser('alice'))
    await call('GET shop/deployments/web', bearer)
    service.now += 3001
    await call('GET shop/deployments/web', bearer)
    await call('GET shop/deployments/web', await expiring(-60))
    expect(service.cluster.reviews).to.equal(2)
  })

  it('are answered 503 without its address while the cluster is away', async () => {
    service.cluster.failure = new Error('connect ECONNREFUSED 10.0.0.1')
    const { code, body } = await call('GET shop/deployments/web')
    expect([code, JSON.stringify(body).includes('10.0.0.1')]).to.deep.equal(['CLUSTER_UNAVAILABLE', false])
  })

  const rights: [request: string, right: string][] = [
    ['GET shop/deployments/web', 'get deployments shop web'],
    ['GET shop/deployments/web/plan', 'get deployments shop web'],
    ['GET shop/deployments', 'list deployments shop'],
    ['POST shop/deployments/web/snooze', 'update deployments/scale shop web'],
    ['POST shop/statefulsets/web/wake', 'update statefulsets/scale shop web'],
    ['POST shop/replicasets/web/pin', 'update replicasets/scale shop web'],
    ['DELETE shop/deployments/web/override', 'update deployments/scale shop web'],
    ['POST shop/daemonsets/web/snooze', 'patch daemonsets shop web'],
    ['DELETE shop/daemonsets/web/pin', 'patch daemonsets shop web'],
    ['POST shop/deployments/web/enable', 'patch deployments shop web'],
    ['POST shop/deployments/web/disable', 'patch deployments shop web'],
    ['PUT shop/daemonsets/web/schedule', 'patch daemonsets shop web'],
  ]
  for (const [request, right] of rights) {
    it(`${request} needs the right to ${right}`, async () => {
      service.cluster.allows = () => false
      const answer = await call(request)
      expect(answer.code).to.equal('FORBIDDEN')
      const asked = service.cluster.asked.map(({ verb, resource, subresource, namespace, name }) =>
        [verb, resource + (subresource ? `/${subresource}` : ''), namespace, name].filter(Boolean).join(' '),
      )
      // One to a workload is first asked for as one to all in its namespace.
      expect(asked).to.deep.equal([...new Set([right.replace(/ web$/, ''), right])])
      expect(answer.body.error.message).to.match(/^k8s:alice may not \w+ \w+\.apps/)
    })
  }

  it('POST disable needs only patch without a pin or override, and for DaemonSets', async () => {
    service.cluster.allows = (_user, { verb }) => verb === 'patch'
    const ended = { override: { until: NOON - 1, at: NOON - 1000, by: 'local:bob' } }
    service.cluster.put(managed(ended, { name: 'ended' }))
    service.cluster.put(managed(pinned, { kind: 'daemonsets' }))
    for (const path of ['deployments/web', 'deployments/ended', 'daemonsets/web'])
      expect((await call(`POST shop/${path}/disable`)).status, path).to.equal(200)
  })

  it('rights are cached for 10 seconds, for each user apart', async () => {
    service.cluster.users.set('bobs', aUser('bob'))
    service.cluster.allows = ({ username }) => username === 'alice'
    expect((await call('GET shop/deployments/web')).status).to.equal(200)
    expect((await call('GET shop/deployments/web', 'bobs')).status).to.equal(403)
    await call('GET shop/deployments/web')
    // Alice's to all of them; bob's, and that to the one.
    expect(service.cluster.asked).to.have.length(3)
    service.now += 10_001
    service.cluster.allows = () => false
    expect((await call('GET shop/deployments/web')).status).to.equal(403)
  })

  it('a list of everything asks once for each kind if the caller may list the whole cluster', async () => {
    for (const namespace of ['a', 'b', 'c']) service.cluster.put(aWorkload({ namespace }))
    const { body } = await call('GET /api/v1/workloads')
    expect(body.data).to.have.length(4)
    expect(service.cluster.asked).to.have.length(1)
  })
})
