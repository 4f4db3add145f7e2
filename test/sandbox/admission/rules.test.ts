import { expect } from 'chai'
import { aWorkload, DEPLOYMENTS } from '../cluster.ts'
import { CONFIGURATIONS, register, sandboxWithWebhook } from '../webhook-server.ts'

const WEB = `${DEPLOYMENTS}/web`
const NAMESPACES = '/api/v1/namespaces'

describe('sandbox admission: which webhooks are asked', () => {
  const { client, server } = sandboxWithWebhook()

  const rule = (changes: object) => ({
    operations: ['*'],
    apiGroups: ['*'],
    apiVersions: ['*'],
    resources: ['*/*'],
    ...changes,
  })

  /** The kinds of write that were reviewed, of: a creation, an update, a scaling, a status, a Namespace's update. */
  async function reviewed(changes: object): Promise<string[]> {
    await register(client, [server.webhook(changes)])
    await client.post(DEPLOYMENTS, aWorkload('new'))
    await client.patch(WEB, { metadata: { labels: { a: 'b' } } })
    await client.patch(`${WEB}/scale`, { spec: { replicas: 3 } })
    await client.patch(`${WEB}/status`, { status: { replicas: 3 } })
    await client.patch(`${NAMESPACES}/default`, { metadata: { labels: { team: 'shop' } } })
    return server.reviews.map(
      ({ operation, resource, subResource = '' }) => `${operation} ${resource.resource}/${subResource}`,
    )
  }

  const CREATION = 'CREATE deployments/'
  const UPDATE = 'UPDATE deployments/'
  const SCALING = 'UPDATE deployments/scale'
  const STATUS = 'UPDATE deployments/status'
  const NAMESPACE = 'UPDATE namespaces/'

  for (const [what, changes, expected] of [
    ['everything by */*', {}, [CREATION, UPDATE, SCALING, STATUS, NAMESPACE]],
    ['all resources by *, but no subresource', { resources: ['*'] }, [CREATION, UPDATE, NAMESPACE]],
    ['a resource alone', { resources: ['deployments'] }, [CREATION, UPDATE]],
    ['one subresource', { resources: ['deployments/scale'] }, [SCALING]],
    ['one subresource of all', { resources: ['*/scale'] }, [SCALING]],
    ['all subresources of one', { resources: ['deployments/*'] }, [CREATION, UPDATE, SCALING, STATUS]],
    ['one operation', { operations: ['CREATE'] }, [CREATION]],
    ['one group', { apiGroups: [''] }, [NAMESPACE]],
    ['no other version', { apiVersions: ['v1beta1'] }, []],
    ['what is in namespaces', { scope: 'Namespaced' }, [CREATION, UPDATE, SCALING, STATUS]],
    ['what is of the cluster', { scope: 'Cluster' }, [NAMESPACE]],
  ] as const)
    it(`rules name ${what}`, async () => {
      expect(await reviewed({ rules: [rule(changes)] })).to.deep.equal(expected)
    })

  it('namespaceSelector is held against the labels of the Namespace, its name among them', async () => {
    const key = 'kubernetes.io/metadata.name'
    const namespaceSelector = { matchExpressions: [{ key, operator: 'NotIn', values: ['default'] }] }
    expect(await reviewed({ rules: [rule({})], namespaceSelector })).to.deep.equal([])
    await client.post(NAMESPACES, { metadata: { name: 'other' } })
    const other = '/apis/apps/v1/namespaces/other/deployments'
    await client.post(other, aWorkload('web'))
    const [first, second] = server.reviews
    expect([first?.resource.resource, second?.namespace]).to.deep.equal(['namespaces', 'other'])
  })

  it('objectSelector is held against the new and the old object’s labels; a Scale has none', async () => {
    const objectSelector = { matchLabels: { app: 'web' } }
    expect(await reviewed({ rules: [rule({})], objectSelector })).to.deep.equal([UPDATE, STATUS])
  })

  it('none sees webhook configurations', async () => {
    await register(client, [server.webhook({ rules: [rule({})] })])
    const { body } = await client.get(`${CONFIGURATIONS}/dormouse`)
    expect((await client.put(`${CONFIGURATIONS}/dormouse`, body)).status).to.equal(200)
    expect(server.reviews).to.deep.equal([])
  })

  describe('configurations', () => {
    it('get the API’s defaults, and a generation that grows with their webhooks alone', async () => {
      const { body: created } = await client.post(CONFIGURATIONS, {
        metadata: { name: 'dormouse' },
        webhooks: [server.webhook({ timeoutSeconds: undefined })],
      })
      const webhooks: unknown = created['webhooks']
      expect(webhooks).to.have.nested.property('0.failurePolicy', 'Fail')
      expect(webhooks).to.have.nested.property('0.timeoutSeconds', 10)
      expect(webhooks).to.have.nested.property('0.rules.0.scope', '*')
      expect(webhooks).to.have.deep.nested.property('0.namespaceSelector', {})
      expect(created.metadata.generation).to.equal(1)
      const path = `${CONFIGURATIONS}/dormouse`
      const labelled = await client.patch(path, { metadata: { labels: { a: 'b' } } })
      expect(labelled.body.metadata.generation).to.equal(1)
      const changed = await client.patch(path, { webhooks: [] })
      expect(changed.body.metadata.generation).to.equal(2)
    })

    it('are watched by name', async () => {
      const watch = await client.watch(`${CONFIGURATIONS}?watch=true&fieldSelector=metadata.name=dormouse`)
      await register(client, [], 'other')
      await register(client, [server.webhook()])
      const event = await watch.next()
      watch.close()
      expect([event?.type, event?.object.metadata.name]).to.deep.equal(['ADDED', 'dormouse'])
    })
  })
})
