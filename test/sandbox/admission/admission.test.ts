import { expect } from 'chai'
import { aWorkload, DEPLOYMENTS, JSON_PATCH } from '../cluster.ts'
import { CONFIGURATIONS, patchReply, register, sandboxWithWebhook } from '../webhook-server.ts'

const WEB = `${DEPLOYMENTS}/web`
const SCALE = `${WEB}/scale`
const NAMESPACES = '/api/v1/namespaces'

describe('sandbox admission', () => {
  const { client, server } = sandboxWithWebhook(
    {},
    aWorkload('web', { replicas: 2 }, { annotations: { note: 'mine' } }),
  )

  const web = async () => (await client.get(WEB)).body
  const last = () => {
    const review = server.reviews.at(-1)
    if (!review) throw new Error('no review came')
    return review
  }

  describe('a review', () => {
    beforeEach(() => register(client, [server.webhook()]))

    it('of an update shows old and new object, who writes and with which options', async () => {
      const { body: before } = await client.get(WEB)
      const impersonated = client.as({ 'impersonate-user': 'alice', 'impersonate-group': ['dev', 'ops'] })
      await impersonated.patch(`${WEB}?fieldManager=kubectl-edit`, { spec: { replicas: 5 } })
      const { uid, object, oldObject, options, userInfo, ...rest } = last()
      expect(uid).to.match(/^[0-9a-f-]{36}$/)
      expect(rest).to.deep.equal({
        kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        requestKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        requestResource: { group: 'apps', version: 'v1', resource: 'deployments' },
        name: 'web',
        namespace: 'default',
        operation: 'UPDATE',
        dryRun: false,
      })
      expect(userInfo).to.deep.equal({ username: 'alice', groups: ['dev', 'ops', 'system:authenticated'] })
      expect(options).to.deep.equal({
        kind: 'UpdateOptions',
        apiVersion: 'meta.k8s.io/v1',
        fieldManager: 'kubectl-edit',
      })
      expect([oldObject?.spec?.replicas, object?.spec?.replicas]).to.deep.equal([2, 5])
      expect(object?.metadata.resourceVersion).to.equal(before.metadata.resourceVersion)
      expect(object?.metadata.generation).to.equal(before.metadata.generation)
      expect(object?.metadata.managedFields?.map(({ manager }) => manager)).to.include('kubectl-edit')
      expect(server.urls.at(-1)).to.equal('/review?timeout=3s')
    })

    it('of a creation has no old object and nothing yet that the server gives', async () => {
      await client.post(DEPLOYMENTS, aWorkload('new'))
      const { operation, oldObject, object, options, userInfo, name } = last()
      expect([operation, oldObject, name]).to.deep.equal(['CREATE', null, 'new'])
      expect(object).to.include({ apiVersion: 'apps/v1', kind: 'Deployment' })
      expect(object?.spec?.replicas).to.equal(1)
      expect(object?.metadata).not.to.have.any.keys('uid', 'resourceVersion', 'generation')
      expect(options).to.deep.equal({ kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' })
      expect(userInfo.username).to.equal('sandbox-admin')
      expect(userInfo.groups).to.include('system:masters')
    })

    it('of a creation by generateName has no name, and the object gets one', async () => {
      const nameless = aWorkload('', {}, { name: undefined, generateName: 'web-' })
      server.reply = () => patchReply([{ op: 'add', path: '/metadata/labels/seen', value: 'yes' }])
      const { body } = await client.post(DEPLOYMENTS, nameless)
      expect(last()).not.to.have.property('name')
      expect(last().object?.metadata).not.to.have.property('name')
      expect(body.metadata.name).to.match(/^web-[a-z0-9]{5}$/)
      expect(body.metadata).to.deep.include({ generation: 1, labels: { app: '', seen: 'yes' } })
    })

    it('of a scale shows two Scales with the workload’s version and none of its labels', async () => {
      const { body: before } = await client.get(WEB)
      const { body: scale } = await client.get(SCALE)
      const writes = [
        () => client.patch(SCALE, { spec: { replicas: 4 } }),
        () => client.patch(SCALE, [{ op: 'replace', path: '/spec/replicas', value: 3 }], JSON_PATCH),
        () => client.put(SCALE, { ...scale, metadata: { name: 'web' }, spec: { replicas: 5 } }),
      ]
      for (const write of writes) expect((await write()).status).to.equal(200)
      expect(server.reviews.map(({ object }) => object?.spec?.replicas)).to.deep.equal([4, 3, 5])
      const [first] = server.reviews
      expect(first).to.deep.include({
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        subResource: 'scale',
      })
      const { name, namespace, uid, resourceVersion, creationTimestamp } = before.metadata
      for (const object of [first?.object, first?.oldObject]) {
        expect(object).to.include({ apiVersion: 'autoscaling/v1', kind: 'Scale' })
        const metadata = { name, namespace, uid, resourceVersion, creationTimestamp }
        expect(object?.metadata).to.deep.include(metadata)
        expect(object?.metadata).not.to.have.any.keys('labels', 'annotations', 'generation')
      }
      expect(first?.oldObject?.spec?.replicas).to.equal(2)
      const managers = first?.object?.metadata.managedFields?.map(({ subresource }) => subresource)
      expect(managers).to.deep.equal(['scale'])
    })

    it('of a dry run says so, and nothing is stored', async () => {
      const { status } = await client.patch(`${SCALE}?dryRun=All`, { spec: { replicas: 7 } })
      expect([status, last().dryRun]).to.deep.equal([200, true])
      expect(last().options).to.deep.include({ dryRun: ['All'] })
      expect((await web()).spec?.replicas).to.equal(2)
    })

    it('goes over connections that are kept', async () => {
      for (const replicas of [3, 4, 5, 6]) await client.patch(SCALE, { spec: { replicas } })
      expect([server.reviews.length, server.connections]).to.deep.equal([4, 1])
    })

    it('is not made of what the sandbox’s own controllers write', async () => {
      await client.patch(SCALE, { spec: { replicas: 3 } })
      const watch = await client.watch(
        `/apis/apps/v1/namespaces/default/deployments?watch=true&fieldSelector=metadata.name=web`,
      )
      await watch.until(({ object }) => object.status?.['observedGeneration'] === 2)
      watch.close()
      expect(server.reviews.map(({ subResource }) => subResource)).to.deep.equal(['scale'])
    })
  })

  describe('an answer', () => {
    beforeEach(() => register(client, [server.webhook()]))

    it('that denies is told in the webhook’s words, with its code and reason', async () => {
      const status = { code: 403, reason: 'Forbidden', message: 'pinned by alice' }
      server.reply = () => ({ allowed: false, status })
      const { status: code, body } = await client.patch(SCALE, { spec: { replicas: 9 } })
      expect([code, body.reason, body.message]).to.deep.equal([
        403,
        'Forbidden',
        'admission webhook "scale.dormouse.dev" denied the request: pinned by alice',
      ])
      expect((await web()).spec?.replicas).to.equal(2)
    })

    it('that denies without a status is a 400 without explanation', async () => {
      server.reply = () => ({ allowed: false })
      const { status, body } = await client.patch(WEB, { spec: { replicas: 9 } })
      expect([status, body.reason, body.message]).to.deep.equal([
        400,
        '',
        'admission webhook "scale.dormouse.dev" denied the request without explanation',
      ])
    })

    it('with warnings reaches the client as Warning headers, allowed or denied', async () => {
      for (const allowed of [true, false]) {
        server.reply = () => ({ allowed, warnings: ['asleep: "kept" 4', 'asleep: "kept" 4', 'schläft'] })
        const { headers } = await client.patch(WEB, { spec: { replicas: 9 } })
        const raw = Buffer.from(headers['warning'] ?? '', 'latin1').toString()
        expect(raw).to.equal('299 - "asleep: \\"kept\\" 4", 299 - "schläft"')
      }
    })

    it('with a patch changes the object before it is validated and stored', async () => {
      const hold = [
        { op: 'test', path: '/spec/replicas', value: 5 },
        { op: 'replace', path: '/spec/replicas', value: 0 },
        { op: 'add', path: '/metadata/annotations/kept', value: '5' },
      ]
      server.reply = () => patchReply(hold)
      const { status, body } = await client.patch(WEB, { spec: { replicas: 5 } })
      expect([status, body.spec?.replicas]).to.deep.equal([200, 0])
      expect((await web()).metadata.annotations).to.include({ note: 'mine', kept: '5' })

      server.reply = () => patchReply([{ op: 'replace', path: '/spec/replicas', value: -1 }])
      expect((await client.patch(WEB, { spec: { replicas: 5 } })).status).to.equal(422)
    })

    it('with a patch of a Scale changes the Scale', async () => {
      server.reply = () => patchReply([{ op: 'replace', path: '/spec/replicas', value: 1 }])
      const { body } = await client.patch(`${SCALE}?fieldManager=someone`, { spec: { replicas: 8 } })
      expect(body).to.deep.include({ kind: 'Scale', spec: { replicas: 1 } })
      const { spec, metadata } = await web()
      expect(spec?.replicas).to.equal(1)
      expect(metadata.annotations).to.include({ note: 'mine' })
      const entry = metadata.managedFields?.find(({ subresource }) => subresource === 'scale')
      expect(entry).to.deep.include({ manager: 'someone', fieldsV1: { 'f:spec': { 'f:replicas': {} } } })
    })

    it('with a patch that does not apply is an internal error', async () => {
      server.reply = () => patchReply([{ op: 'remove', path: '/metadata/nothing' }])
      const { status, body } = await client.patch(WEB, { spec: { replicas: 5 } })
      expect([status, body.reason]).to.deep.equal([500, 'InternalError'])
      expect(body.message).to.match(/^Internal error occurred: /)
    })

    it('is asked for again when a PATCH finds the object replaced meanwhile', async () => {
      server.reply = async () => {
        if (server.reviews.length === 1) await client.patch(WEB, { metadata: { labels: { a: 'b' } } })
        return { allowed: true }
      }
      const { status, body } = await client.patch(WEB, { spec: { replicas: 5 } })
      expect([status, body.spec?.replicas, body.metadata.labels?.['a']]).to.deep.equal([200, 5, 'b'])
      expect(server.reviews[2]?.oldObject?.metadata.labels).to.include({ a: 'b' })
    })

    it('does not save a PUT whose version grew old meanwhile', async () => {
      const read = await web()
      server.reply = async () => {
        if (server.reviews.length === 1) await client.patch(WEB, { metadata: { labels: { a: 'b' } } })
        return { allowed: true }
      }
      const { status, body } = await client.put(WEB, { ...read, spec: { ...read.spec, replicas: 5 } })
      expect([status, body.reason]).to.deep.equal([409, 'Conflict'])
    })
  })

  it('asks webhooks in the order of their configurations’ names, each on what the last one made', async () => {
    const webhook = (name: string) => server.webhook({ name: `${name}.dormouse.dev` })
    await register(client, [webhook('last')], 'z')
    await register(client, [webhook('first'), webhook('second')], 'a')
    server.reply = ({ object }) =>
      patchReply([{ op: 'replace', path: '/spec/replicas', value: (object?.spec?.replicas ?? 0) + 1 }])
    const { body } = await client.patch(WEB, { spec: { replicas: 10 } })
    expect(body.spec?.replicas).to.equal(13)
    expect(server.reviews.map(({ object }) => object?.spec?.replicas)).to.deep.equal([10, 11, 12])
  })

  it('ends when the Namespace that owns the configuration is deleted', async () => {
    const { body: namespace } = await client.post(NAMESPACES, { metadata: { name: 'dormouse' } })
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'dormouse', uid: namespace.metadata.uid }
    const metadata = { name: 'dormouse', ownerReferences: [owner] }
    await client.post(CONFIGURATIONS, { metadata, webhooks: [server.webhook()] })
    server.reply = () => ({ allowed: false })
    expect((await client.patch(SCALE, { spec: { replicas: 3 } })).status).to.equal(400)
    await client.delete(`${NAMESPACES}/dormouse`)
    expect((await client.patch(SCALE, { spec: { replicas: 3 } })).status).to.equal(200)
  })
})
