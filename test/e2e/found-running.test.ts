import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const KIND = 'deployments'
const COUNT = 5

describeOn('who brings up a sleeper past the webhook', function (on) {
  this.timeout(90_000)
  // Without a webhook: as an exempt user, or another webhook that changes our own write.
  const here = served(on, { newWorkloadGrace: '0s' })

  /** Resolves with the kept count once it sleeps again. */
  const keptAfter = async (name: string, before: string | undefined) => {
    const again = await eventually(
      `${name} to sleep again`,
      async () => {
        const { metadata, spec } = await here.get(KIND, name)
        return spec.replicas === 0 && metadata.resourceVersion !== before && metadata
      },
      { timeout: 30_000 },
    )
    return again.labels?.[ASLEEP_LABEL]
  }

  const sleeper = async (name: string) => {
    await here.enabled(KIND, name, { replicas: COUNT, schedule: asleepNow() })
    await eventually('it to sleep', async () => (await here.get(KIND, name)).spec.replicas === 0)
    return (await here.settled(KIND, name)).metadata.resourceVersion
  }

  it('by an update to fewer does not lower the kept count, neither asleep nor woken', async () => {
    const before = await sleeper('edited')
    await on().admin.expect('PATCH', here.path(KIND, 'edited'), { spec: { replicas: 1 } })
    expect(await keptAfter('edited', before)).to.equal(String(COUNT))
    const { current_replicas } = await here.workload(KIND, 'edited').wake()
    expect(current_replicas).to.equal(COUNT)
  })

  for (const [how, ...args] of [
    ['server-side', '--server-side', '--force-conflicts'],
    ['by kubectl', '--overwrite'],
  ] as const)
    it(`by an apply ${how} to fewer keeps what the manifest says`, async () => {
      const name = `applied-${how.replaceAll(' ', '-')}`
      const before = await sleeper(name)
      const { code, stderr } = await here.withFile('apply', manifest(KIND, name, { replicas: 2 }), ...args)
      expect(code, stderr).to.equal(0)
      expect(await keptAfter(name, before)).to.equal('2')
    })
})
