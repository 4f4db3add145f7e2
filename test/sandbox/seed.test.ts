import { expect } from 'chai'
import { compileSchedule, type Edge } from '../../src/domain/schedule/schedule.ts'
import { Client, startSandbox } from './cluster.ts'

const now = Date.UTC(2026, 0, 1, 23, 58, 30)

describe('sandbox seed', () => {
  it('has workloads of all four kinds, all asking for cpu and memory', async () => {
    const sandbox = await startSandbox({ seed: true, clock: () => now })
    const client = new Client(sandbox)
    for (const kind of ['deployments', 'statefulsets', 'daemonsets', 'replicasets']) {
      const { items } = (await client.get(`/apis/apps/v1/namespaces/shop/${kind}`)).body
      expect(items, kind).not.to.deep.equal([])
      for (const { spec } of items)
        expect(spec?.template?.spec?.containers?.[0]?.['resources']).to.have.nested.property('requests.cpu')
    }
    await sandbox.stop()
  })

  it('has the deployment that the documentation speaks of, with three replicas', async () => {
    const sandbox = await startSandbox({ seed: true, clock: () => now })
    const { status, body } = await new Client(sandbox).get('/apis/apps/v1/namespaces/shop/deployments/web')
    await sandbox.stop()
    expect(status).to.equal(200)
    expect(body.spec?.replicas).to.equal(3)
    expect(Object.keys(body.metadata.annotations ?? {}).join()).to.not.include('dormouse.dev')
  })

  it('has one that falls asleep within half a minute and a minute and a half, and again every half hour', async () => {
    for (const seconds of [0, 29, 31, 59]) {
      const begun = Date.UTC(2026, 0, 1, 23, 40, seconds)
      const sandbox = await startSandbox({ seed: true, clock: () => begun })
      const { body } = await new Client(sandbox).get(
        '/apis/apps/v1/namespaces/staging/deployments/storefront',
      )
      const { annotations = {}, creationTimestamp = '' } = body.metadata
      const { naps } = sandbox
      await sandbox.stop()
      expect(annotations['dormouse.dev/enabled']).to.equal('true')
      expect(Date.parse(creationTimestamp)).to.be.lessThan(begun - 86_400_000)
      const schedule = compileSchedule(annotations['dormouse.dev/schedule'] ?? '', 'UTC')
      expect(schedule.stateAt(begun)).to.equal('awake')
      if (!naps) throw new Error('it does not say when')
      expect(naps.first - begun).to.be.within(30_000, 90_000)
      const edges: Edge[] = []
      for (let at = begun; edges.length < 2 * naps.times;) {
        const edge = schedule.nextEdge(at)
        if (!edge) throw new Error('it does not come')
        edges.push(edge)
        at = edge.at
      }
      const said = Array.from({ length: naps.times }, (_, n) => naps.first + n * naps.every).flatMap((at) => [
        { at, to: 'asleep' },
        { at: at + naps.asleepFor, to: 'awake' },
      ])
      expect(edges).to.deep.equal(said)
    }
  })

  it('is left out unless asked for', async () => {
    const sandbox = await startSandbox()
    const { items } = (await new Client(sandbox).get('/apis/apps/v1/deployments')).body
    await sandbox.stop()
    expect(items).to.deep.equal([])
  })
})
