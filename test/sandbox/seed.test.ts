import { expect } from 'chai'
import { compileSchedule, type Edge } from '../../src/domain/schedule/schedule.ts'
import { SandboxCluster, type SandboxOptions } from '../../src/sandbox/sandbox.ts'
import type { KubeObject } from '../../src/sandbox/store/object.ts'

const now = Date.UTC(2026, 0, 1, 23, 58, 30)

async function started(options: Partial<SandboxOptions> = {}): Promise<SandboxCluster> {
  const sandbox = new SandboxCluster({ port: 0, clock: () => now, ...options })
  await sandbox.start()
  return sandbox
}

/** An object, or a list. */
async function read(
  sandbox: SandboxCluster,
  path: string,
): Promise<KubeObject & { readonly items: KubeObject[] }> {
  const answer = await fetch(new URL(`/apis/apps/v1/${path}`, sandbox.url))
  expect(answer.status).to.equal(200)
  return (await answer.json()) as KubeObject & { readonly items: KubeObject[] }
}

describe('sandbox seed', () => {
  it('has workloads of all four kinds, all asking for cpu and memory', async () => {
    const sandbox = await started({ seed: true })
    for (const kind of ['deployments', 'statefulsets', 'daemonsets', 'replicasets']) {
      const { items } = await read(sandbox, `namespaces/shop/${kind}`)
      expect(items, kind).not.to.deep.equal([])
      for (const { spec } of items)
        expect(spec?.template?.spec?.containers?.[0]?.['resources']).to.have.nested.property('requests.cpu')
    }
    await sandbox.stop()
  })

  it('has the deployment that the documentation speaks of, with three replicas', async () => {
    const sandbox = await started({ seed: true })
    const web = await read(sandbox, 'namespaces/shop/deployments/web')
    await sandbox.stop()
    expect(web.spec?.replicas).to.equal(3)
    expect(Object.keys(web.metadata.annotations ?? {}).join()).to.not.include('dormouse.dev')
  })

  it('has one that falls asleep within half a minute and a minute and a half, and again every half hour', async () => {
    for (const seconds of [0, 29, 31, 59]) {
      const begun = Date.UTC(2026, 0, 1, 23, 40, seconds)
      const sandbox = await started({ seed: true, clock: () => begun })
      const storefront = await read(sandbox, 'namespaces/staging/deployments/storefront')
      const { annotations = {}, creationTimestamp = '' } = storefront.metadata
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
    const sandbox = await started()
    const { items } = await read(sandbox, 'deployments')
    await sandbox.stop()
    expect(items).to.deep.equal([])
  })
})
