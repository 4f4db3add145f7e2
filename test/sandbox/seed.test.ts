import { expect } from 'chai'
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

  it('has one that falls asleep at the second full minute from the start', async () => {
    const sandbox = await startSandbox({ seed: true, clock: () => now })
    const { body } = await new Client(sandbox).get('/apis/apps/v1/namespaces/staging/deployments/storefront')
    await sandbox.stop()
    expect(body.metadata.annotations).to.include({
      'dormouse.dev/enabled': 'true',
      'dormouse.dev/schedule': '0:03-0:00',
    })
    expect(Date.parse(body.metadata.creationTimestamp ?? '')).to.be.lessThan(now - 86_400_000)
  })

  it('is left out unless asked for', async () => {
    const sandbox = await startSandbox()
    const { items } = (await new Client(sandbox).get('/apis/apps/v1/deployments')).body
    await sandbox.stop()
    expect(items).to.deep.equal([])
  })
})
