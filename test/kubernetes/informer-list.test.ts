import { expect } from 'chai'
import { KINDS } from '../../src/domain/workload/workload.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { answer, failure, until, type Handler } from './fake-api-server.ts'
import { EXPIRED, informedDeployments, type InformedDeployments, list, page } from './informed-deployments.ts'
import { WEB, deployment } from './objects.ts'

const refused: Handler = (_, response) => answer(response, 403, failure(403, 'not allowed', 'Forbidden'))

describe("the informer's list", () => {
  let api: InformedDeployments
  informedDeployments((opened) => (api = opened))

  it('is ready when all four kinds are listed, and lists what is there', async () => {
    expect(api.missing()).to.deep.equal(KINDS)
    await api.informer.start()
    expect(api.missing()).to.deep.equal([])
    expect([...api.informer.list()].map(({ name }) => name)).to.deep.equal(['web'])
    expect(api.informer.get(WEB)?.replicas).to.equal(3)
    expect(api.changes).to.deep.equal(['- > 10 web'])
  })

  it('takes pages of 500 and follows their tokens', async () => {
    api.lists = [
      (_, response) => answer(response, 200, page('100', [deployment('a')], 'next one')),
      (_, response) => answer(response, 200, page('100', [deployment('b')])),
    ]
    await api.informer.start()
    expect([...api.informer.list()].map(({ name }) => name)).to.deep.equal(['a', 'b'])
    expect(api.asked('list').map(({ query }) => [query.get('limit'), query.get('continue')])).to.deep.equal([
      ['500', null],
      ['500', 'next one'],
    ])
  })

  it('begins again when the continue token of a page has expired', async () => {
    api.lists = [
      (_, response) => answer(response, 200, page('100', [deployment('gone'), deployment('web')], 'token')),
      (_, response) => answer(response, 410, EXPIRED),
      list('200', deployment('web')),
    ]
    await api.informer.start()
    expect([...api.informer.list()].map(({ name }) => name)).to.deep.equal(['web'])
    expect(api.asked('list').map(({ query }) => query.get('continue'))).to.deep.equal([null, 'token', null])
    expect(api.restarts()).to.deep.equal(['deployments expired'])
  })

  it('is retried while the cluster fails, with delays of at most 2 s', async () => {
    const fail: Handler = (_, response) => answer(response, 500, failure(500, 'etcd is away'))
    const cut: Handler = (_, response) => response.destroy()
    api.lists = [...Array.from({ length: 8 }, () => fail), cut, cut, list('100', deployment('web'))]
    await api.complete()
    expect(api.informer.get(WEB)).to.include({ name: 'web' })
    expect(Math.max(...api.pauses)).to.be.at.most(2000)
    expect(Math.max(...api.pauses)).to.be.above(900)
  })

  it('honours Retry-After of a 429, up to 30 s', async () => {
    const busy =
      (seconds: string): Handler =>
      (_, response) =>
        answer(response, 429, failure(429, 'too many requests'), { 'retry-after': seconds })
    api.lists = [busy('7'), busy('3600'), list('100')]
    await api.complete()
    expect(api.pauses[0]).to.be.within(7000, 9000)
    expect(api.pauses[1]).to.be.within(30_000, 32_000)
  })

  it('of a refused kind delays no other kind, is shown as missing, and succeeds once it is allowed', async () => {
    let allowed = false
    api.lists = [(...args) => (allowed ? list('100', deployment('web')) : refused)(...args)]
    await api.informer.start()
    expect(api.missing()).to.deep.equal(['deployments'])
    expect(api.informer.watches).to.deep.include({ kind: 'deployments', listed: false, connected: false })
    allowed = true
    await api.informer.complete()
    expect(api.informer.get(WEB)).to.include({ name: 'web' })
  })

  it('is waited for while the cluster refuses all kinds', async () => {
    let allowed = false
    const { handler } = api.server
    api.server.handler = (...args) => (allowed ? handler : refused)(...args)
    let started = false
    const starting = api.informer.start().then(() => (started = true))
    await until(() => api.server.received.length > 40)
    expect(started).to.equal(false)
    allowed = true
    await starting
    await api.informer.complete()
  })

  it('can be stopped before it has succeeded', async () => {
    api.lists = [() => {}]
    const started = api.informer.start().then(
      () => 'started',
      (error: Error) => error.name,
    )
    await until(() => api.asked('list').length === 1)
    await api.informer.stop()
    expect(await started).to.equal('AbortError')
    expect(api.informer.isConnected('deployments')).to.equal(false)
  })

  it('leaves out ReplicaSets with a controller owner, and drops one that gains such an owner', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true }]
    const { handler } = api.server
    const replicaSets = api.server.collection('/apis/apps/v1/replicasets')
    const put = ({ metadata, ...rest }: WorkloadObject) =>
      replicaSets.put({ metadata: { ...metadata }, ...rest })
    for (const each of [deployment('owned', { ownerReferences }), deployment('free')]) put(each)
    api.server.handler = (received, response) => {
      if (!replicaSets.take(received, response)) handler(received, response)
    }
    await api.informer.start()
    expect([...api.informer.list('shop', 'replicasets')].map(({ name }) => name)).to.deep.equal(['free'])
    await until(() => replicaSets.watches.size === 1)
    put(deployment('free', { ownerReferences }))
    await until(() => api.changes.some((each) => each.endsWith('> - free')))
    expect([...api.informer.list('shop', 'replicasets')]).to.deep.equal([])
  })
})
