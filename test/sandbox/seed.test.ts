import { expect } from 'chai'
import { compileSchedule } from '../../src/domain/schedule/schedule.ts'
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

  for (const timezone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu'])
    it(`has one that falls asleep within half a minute and a minute and a half, and wakes 5 minutes later: ${timezone}`, async () => {
      for (const seconds of [0, 29, 31, 59]) {
        const begun = Date.UTC(2026, 0, 1, 23, 40, seconds)
        const sandbox = await started({ seed: true, timezone, clock: () => begun })
        const storefront = await read(sandbox, 'namespaces/staging/deployments/storefront')
        const { annotations = {}, creationTimestamp = '' } = storefront.metadata
        const { nap } = sandbox
        await sandbox.stop()
        expect(annotations['dormouse.dev/enabled']).to.equal('true')
        expect(Date.parse(creationTimestamp)).to.be.lessThan(begun - 86_400_000)
        const schedule = compileSchedule(
          annotations['dormouse.dev/schedule'] ?? '',
          annotations['dormouse.dev/timezone'] ?? '',
        )
        expect(schedule.stateAt(begun)).to.equal('awake')
        if (!nap) throw new Error('it does not say when')
        expect(nap.from - begun).to.be.within(30_000, 90_000)
        expect(nap.until - nap.from).to.equal(5 * 60_000)
        expect(schedule.nextEdge(begun)).to.deep.include({ at: nap.from, to: 'asleep' })
        expect(schedule.nextEdge(nap.from)).to.deep.include({ at: nap.until, to: 'awake' })
      }
    })

  it("has schedules as people write them, in the reader's zone", async () => {
    const sandbox = await started({ seed: true, timezone: 'Europe/Berlin' })
    const found = []
    for (const kind of ['deployments', 'statefulsets'])
      for (const { metadata } of (await read(sandbox, `namespaces/staging/${kind}`)).items)
        found.push(metadata.annotations?.['dormouse.dev/schedule'] ?? '')
    await sandbox.stop()
    expect(found).to.include.members(['8:00-18:00,Mon-Fri', '10:00-16:00,Sat-Sun'])
    for (const text of found) expect(text, 'one window each').to.not.include(';')
  })

  it('is left out unless asked for', async () => {
    const sandbox = await started()
    const { items } = await read(sandbox, 'deployments')
    await sandbox.stop()
    expect(items).to.deep.equal([])
  })

  for (const timezone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'])
    it(`has one that sleeps at whatever hour it starts, for its link to wake: ${timezone}`, async () => {
      for (const day of [Date.UTC(2026, 0, 1), Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25)])
        for (let hour = 0; hour < 24; hour++) {
          const begun = day + hour * 3_600_000 + 59_000
          const sandbox = await started({ seed: true, timezone, clock: () => begun })
          const preview = await read(sandbox, 'namespaces/staging/deployments/preview')
          await sandbox.stop()
          const { annotations = {} } = preview.metadata
          const schedule = compileSchedule(
            annotations['dormouse.dev/schedule'] ?? '',
            annotations['dormouse.dev/timezone'] ?? '',
          )
          expect(schedule.stateAt(begun), annotations['dormouse.dev/schedule']).to.equal('asleep')
          expect((schedule.nextEdge(begun)?.at ?? 0) - begun).to.be.greaterThan(8 * 3_600_000)
        }
    })
})
