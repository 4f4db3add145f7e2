import { expect } from 'chai'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { CONFIGURATION, enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { hasFollowed } from '../support/served.ts'
import { manifest } from '../support/manifests.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { asleepNow } from '../support/schedules.ts'

const ALWAYS = ['kube-system', 'kube-public', 'kube-node-lease']
interface Selecting {
  readonly name: string
  readonly namespaceSelector: { readonly matchExpressions: readonly object[] }
}

describeOn('excluded namespaces', function (on) {
  this.timeout(120_000)
  const here = enforced(on, { excludeNamespaces: ['monitoring'] })
  const deployments = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`
  const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: asleepNow() }
  const sleepless = manifest('deployments', 'sleepless', { replicas: 1, annotations })
  const get = async (namespace: string) =>
    (await on().admin.expect('GET', `${deployments(namespace)}/sleepless`)) as unknown as KubectlObject

  before(async () => {
    const { status } = await on().admin.send('GET', '/api/v1/namespaces/monitoring')
    if (status === 404)
      await on().admin.expect('POST', '/api/v1/namespaces', { metadata: { name: 'monitoring' } })
  })

  after(async () => {
    await on().admin.send('DELETE', `${deployments('kube-system')}/sleepless`)
    await on().admin.send('DELETE', '/api/v1/namespaces/monitoring')
  })

  it('are excluded from the webhook: those of the configuration and those of Kubernetes', async () => {
    const { webhooks } = (await on().admin.expect('GET', CONFIGURATION)) as unknown as {
      webhooks: readonly Selecting[]
    }
    // The probe reviews only the leader's own dry runs.
    const ofPeople = webhooks.filter(({ name }) => name !== 'probe.dormouse.dev')
    const names = ['scale', 'workloads', 'held', 'namespaces'].map((name) => `${name}.dormouse.dev`)
    expect(ofPeople.map(({ name }) => name)).to.include.members(names)
    for (const { namespaceSelector } of ofPeople)
      expect(namespaceSelector.matchExpressions).to.deep.include({
        key: 'kubernetes.io/metadata.name',
        operator: 'NotIn',
        values: [...ALWAYS, 'monitoring'],
      })
  })

  it('are never touched: not by the controller, and not through the API', async () => {
    const excluded = ['kube-system', 'monitoring']
    for (const namespace of excluded) await on().create(namespace, [sleepless])
    await on().create(here.namespace, [sleepless])
    // Created last: once it is asleep, the controller has seen all of them.
    await eventually('the one in no excluded namespace to sleep', async () => {
      const { metadata } = await get(here.namespace)
      return metadata.labels?.[ASLEEP_LABEL] === '1'
    })
    for (const namespace of excluded) {
      const object = await eventually(`${namespace} to settle`, async () => {
        const found = await get(namespace)
        return hasFollowed(found) && found
      })
      expect(object.spec.replicas, namespace).to.equal(1)
      expect(object.metadata.labels ?? {}).to.not.have.property(ASLEEP_LABEL)
      expect(object.metadata.annotations).to.not.have.property(ANNOTATION.state)
      const path = `/namespaces/${namespace}/deployments/sleepless/snooze`
      const { status, body } = await here.api.call('POST', path)
      expect([status, body.error?.code], namespace).to.deep.equal([403, 'NAMESPACE_EXCLUDED'])
    }
  })

  it('that are excluded while workloads sleep in them are told of, in the log: nothing wakes those', async () => {
    await eventually('the one in no excluded namespace to sleep', async () => {
      const { metadata } = await get(here.namespace)
      return metadata.labels?.[ASLEEP_LABEL] === '1'
    })
    const { settings } = await here.another()
    await here.dormouse.terminate()
    await here.dormouse.start({ ...settings, excludeNamespaces: ['monitoring', here.namespace] })
    const told = here.dormouse.log.find(({ msg }) => msg?.includes('sleep in excluded namespaces'))
    expect(told).to.deep.include({ count: 1, workloads: [`deployments/${here.namespace}/sleepless`] })
  })
})
