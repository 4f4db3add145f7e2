import { expect } from 'chai'
import { ANNOTATION, HELD_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'

describeOn('a pin outlives the policy that its workload is taken out of', function (on) {
  this.timeout(150_000)
  const policies = [
    {
      name: 'dev',
      namespaces: { names: ['*'] },
      workloads: { kinds: ['statefulsets'], selector: 'tier!=infra' },
      enabled: true,
    },
  ]
  const here = enforced(on, { settings: { policies } })
  const labelled = (...args: string[]) => here.attempt('label', 'statefulset/db', '--overwrite', ...args)

  before('a StatefulSet is put to sleep and pinned by annotation', async () => {
    await on().create(here.namespace, [manifest('statefulsets', 'db', { replicas: 2 })])
    await eventually('it to be known', async () => {
      const { enabled } = await here.workload('statefulsets', 'db').status()
      return enabled
    })
    for (const request of ['snooze', 'pin']) {
      const { code, stderr } = await here.attempt(
        'annotate',
        'statefulset/db',
        `${ANNOTATION.request}=${request}`,
      )
      expect(code, stderr).to.equal(0)
    }
  })

  it('by a write of its status that changes a label: it sleeps on, pinned', async () => {
    const refused = await labelled('tier=infra')
    expect(refused.code, 'a write of the object itself').to.not.equal(0)
    const body = JSON.stringify({ metadata: { labels: { tier: 'infra' } } })
    const status = ['patch', 'statefulset', 'db', '--subresource=status', '--type=merge', '-p', body]
    const { code, stderr } = await here.attempt(...status)
    expect(code, stderr).to.equal(0)
    const db = here.workload('statefulsets', 'db')
    await eventually('it to be managed no more', async () => !(await db.status()).enabled)
    expect(await db.status()).to.include({ is_snoozed: true, pin_state: 'snoozed', current_replicas: 0 })
    const object = await here.get('statefulsets', 'db')
    expect(object.metadata.labels).to.include({ tier: 'infra', [HELD_LABEL]: 'pin' })
    expect(marksOf(object)).to.include({ replicas: 0, label: '2' })
    expect(marksOf(object).state?.pin).to.include({ state: 'snoozed' })
  })

  it('and is still enforced', async () => {
    const scaled = await here.attempt('scale', 'statefulset/db', '--replicas=1')
    expect(scaled.code).to.not.equal(0)
    expect(scaled.stderr).to.include('is pinned snoozed')
    const patched = await here.attempt('patch', 'statefulset', 'db', '-p', '{"spec":{"replicas":1}}')
    expect(patched.code).to.not.equal(0)
  })

  it('and a wake request says so, and how to end it', async () => {
    const { status, body } = await here.workload('statefulsets', 'db').attempt('POST', 'wake')
    expect([status, body.error.code]).to.deep.equal([409, 'PINNED'])
    expect(body.error.message).to.match(
      /pinned snoozed by .*; to let it go: DELETE .*\/statefulsets\/db\/pin$/,
    )
  })

  it('until somebody clears it: then it wakes', async () => {
    await here.workload('statefulsets', 'db').unpin()
    const object = await here.get('statefulsets', 'db')
    expect(marksOf(object)).to.include({ replicas: 2, label: undefined })
    expect(object.metadata.labels).to.not.have.property(HELD_LABEL)
  })
})
