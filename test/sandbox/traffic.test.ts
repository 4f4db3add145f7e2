import { expect } from 'chai'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { failureOf } from '../support/failure-of.ts'

const PATCH = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } }

describe('traffic in the sandbox', () => {
  const sandbox = new SandboxCluster({ port: 0, clock: () => Date.now(), seed: true, readyAfterMs: 10 })
  before(() => sandbox.start())
  after(() => sandbox.stop())

  const scale = (replicas: number) =>
    fetch(new URL('/apis/apps/v1/namespaces/staging/deployments/preview', sandbox.url), {
      ...PATCH,
      body: JSON.stringify({ spec: { replicas } }),
    })

  async function slices(): Promise<{ metadata: { name: string }; endpoints: object[]; ports: object[] }[]> {
    const path = '/apis/discovery.k8s.io/v1/namespaces/staging/endpointslices'
    const answer = await fetch(new URL(path, sandbox.url))
    return ((await answer.json()) as { items: Awaited<ReturnType<typeof slices>> }).items
  }

  it('has a slice for each Service that selects pods, whose endpoints follow them', async () => {
    await eventually('two ready endpoints', async () => {
      const [slice, ...others] = await slices()
      expect(others).to.deep.equal([])
      expect(slice?.endpoints).to.have.length(2)
      for (const endpoint of slice?.endpoints ?? [])
        expect(endpoint).to.deep.include({ conditions: { ready: true, serving: true, terminating: false } })
      return true
    })
    await scale(0)
    await eventually('no endpoint', async () => (await slices())[0]?.endpoints.length === 0)
  })

  it('leads a connection to a ready endpoint, to one that serves while it ends, and to nowhere else', async () => {
    await scale(1)
    const page = await eventually('the app', async () => {
      const text = await (await fetch(sandbox.preview)).text()
      return text.includes('This is the app') && text
    })
    const text = page.replaceAll(/<[^>]+>/g, '')
    for (const verb of ['why', 'snooze'])
      expect(text).to.include(`kubectl dormouse ${verb} preview -n staging --context dormouse-sandbox`)
    await scale(0)
    await eventually('a refusal', async () => failureOf(fetch(sandbox.preview), TypeError))
    const [standing] = await slices()
    const endpoint = {
      addresses: ['127.0.0.1'],
      conditions: { ready: false, serving: true, terminating: true },
    }
    const labels = {
      'kubernetes.io/service-name': 'preview',
      'endpointslice.kubernetes.io/managed-by': 'a-test',
    }
    const body = {
      metadata: { name: 'other', labels },
      addressType: 'IPv4',
      ports: standing?.ports,
      endpoints: [endpoint],
    }
    await fetch(new URL('/apis/discovery.k8s.io/v1/namespaces/staging/endpointslices', sandbox.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect((await fetch(sandbox.preview)).status).to.equal(200)
  })
})
