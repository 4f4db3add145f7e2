import { expect } from 'chai'
import { aWorkload, DEPLOYMENTS, eventually, freshSandbox, JSON_PATCH, STRATEGIC_PATCH } from '../cluster.ts'

const WEB = `${DEPLOYMENTS}/web`

describe('sandbox API: reading and writing', () => {
  // Nothing becomes ready here, so that no status is written between two writes of a test.
  const { client } = freshSandbox({ readyAfterMs: 3_600_000 })

  beforeEach('there is a deployment', async () => {
    await client.post(DEPLOYMENTS, aWorkload('web', { replicas: 2 }))
  })

  const web = async () => (await client.get(WEB)).body

  describe('create', () => {
    it('answers 201 with uid, resourceVersion, generation 1 and defaults', async () => {
      const { status, body } = await client.post(DEPLOYMENTS, aWorkload('new'))
      expect(status).to.equal(201)
      expect(body.metadata).to.include({ generation: 1, namespace: 'default' })
      expect(body.metadata.uid).to.match(/^[0-9a-f-]{36}$/)
      expect(body.spec?.replicas).to.equal(1)
      expect([body.apiVersion, body.kind]).to.deep.equal(['apps/v1', 'Deployment'])
    })

    it('needs the namespace to exist', async () => {
      const { status, body } = await client.post(
        '/apis/apps/v1/namespaces/nowhere/deployments',
        aWorkload('x'),
      )
      expect([status, body.reason, body.message]).to.deep.equal([
        404,
        'NotFound',
        'namespaces "nowhere" not found',
      ])
    })

    it('refuses a name that is taken', async () => {
      const { status, body } = await client.post(DEPLOYMENTS, aWorkload('web'))
      expect([status, body.reason]).to.deep.equal([409, 'AlreadyExists'])
      expect(body.message).to.equal('deployments.apps "web" already exists')
    })

    it('makes a name of generateName', async () => {
      const { body } = await client.post(
        DEPLOYMENTS,
        aWorkload('', {}, { name: undefined, generateName: 'web-' }),
      )
      expect(body.metadata.name).to.match(/^web-[a-z0-9]{5}$/)
    })

    it('names every fault with its field', async () => {
      const { status, body } = await client.post(
        DEPLOYMENTS,
        aWorkload('Bad_Name', { replicas: -1, template: { metadata: { labels: { app: 'x' } }, spec: {} } }),
      )
      expect([status, body.reason]).to.deep.equal([422, 'Invalid'])
      expect(body.details.causes?.map(({ field }) => field)).to.include.members([
        'metadata.name',
        'spec.replicas',
        'spec.template.metadata.labels',
      ])
    })

    it('refuses values of the wrong type', async () => {
      for (const metadata of [{ annotations: { a: 1 } }, { labels: [] }])
        expect((await client.post(DEPLOYMENTS, aWorkload('x', {}, metadata))).status).to.equal(400)
      for (const spec of [{ replicas: '2' }, { replicas: 1.5 }, { template: [] }, { selector: 'x' }])
        expect((await client.post(DEPLOYMENTS, aWorkload('x', spec))).status).to.equal(400)
    })
  })

  describe('update', () => {
    it('refuses a stale resourceVersion with 409 Conflict', async () => {
      const stale = await web()
      await client.patch(WEB, { metadata: { labels: { a: 'b' } } })
      const { status, body } = await client.put(WEB, stale)
      expect([status, body.reason]).to.deep.equal([409, 'Conflict'])
      expect(body.message).to.match(/^Operation cannot be fulfilled on deployments\.apps "web"/)
      expect(body.details).to.deep.equal({ name: 'web', group: 'apps', kind: 'deployments' })
    })

    it('goes without a resourceVersion, except for leases', async () => {
      expect((await client.put(WEB, aWorkload('web', { replicas: 4 }))).status).to.equal(200)
      const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
      await client.post(leases, { metadata: { name: 'dormouse' }, spec: {} })
      expect(
        (await client.put(`${leases}/dormouse`, { metadata: { name: 'dormouse' }, spec: {} })).status,
      ).to.equal(422)
    })

    it('refuses another name, another uid and another selector', async () => {
      expect((await client.put(WEB, aWorkload('other'))).status).to.equal(400)
      expect((await client.put(WEB, aWorkload('web', {}, { uid: 'other' }))).status).to.equal(409)
      const selector = { matchLabels: { b: 'c' } }
      const template = { metadata: { labels: { b: 'c' } }, spec: { containers: [{ name: 'a', image: 'b' }] } }
      const { status, body } = await client.put(WEB, aWorkload('web', { selector, template }))
      expect([status, body.details.causes?.[0]?.field]).to.deep.equal([422, 'spec.selector'])
    })

    it('that changes nothing changes no resourceVersion', async () => {
      const before = await web()
      const { body } = await client.patch(WEB, { spec: { replicas: 2 } })
      expect(body.metadata.resourceVersion).to.equal(before.metadata.resourceVersion)
      expect(body.metadata.managedFields).to.deep.equal(before.metadata.managedFields)
    })

    it('leaves the status alone, and a status write leaves the spec alone', async () => {
      const before = await web()
      const { body } = await client.patch(WEB, { status: { replicas: 9 }, metadata: { labels: { a: 'b' } } })
      expect(body.status).to.deep.equal(before.status)
      const reply = await client.patch(`${WEB}/status`, {
        status: { collisionCount: 1 },
        spec: { replicas: 9 },
      })
      expect(reply.body.status).to.include({ collisionCount: 1 })
      expect(reply.body.spec?.replicas).to.equal(2)
    })
  })

  describe('generation', () => {
    const generations = async (path: string, patches: object[]) => {
      const seen: unknown[] = []
      for (const patch of patches) seen.push((await client.patch(path, patch)).body.metadata.generation)
      return seen
    }
    const patches = [
      { spec: { replicas: 3 } },
      { metadata: { labels: { a: 'b' } } },
      { metadata: { annotations: { a: 'b' } } },
    ]

    it('of a Deployment grows with its spec and its annotations', async () => {
      expect(await generations(WEB, patches)).to.deep.equal([2, 2, 3])
    })

    it('of another workload grows with its spec alone', async () => {
      const path = '/apis/apps/v1/namespaces/default/statefulsets'
      await client.post(path, aWorkload('db'))
      expect(await generations(`${path}/db`, patches)).to.deep.equal([2, 2, 2])
    })
  })

  describe('patch', () => {
    it('whose test fails is a bare 422', async () => {
      const { status, body } = await client.patch(
        WEB,
        [{ op: 'test', path: '/spec/replicas', value: 7 }],
        JSON_PATCH,
      )
      expect([status, body.reason]).to.deep.equal([422, 'Invalid'])
      expect(body.message).to.equal('the server rejected our request due to an error in our request')
    })

    it('merges containers by name when strategic', async () => {
      const containers = [{ name: 'sidecar', image: 'side:1' }]
      const { body } = await client.patch(
        WEB,
        { spec: { template: { spec: { containers } } } },
        STRATEGIC_PATCH,
      )
      expect(body.spec?.template?.spec?.containers?.map(({ name }) => name)).to.deep.equal([
        'main',
        'sidecar',
      ])
    })

    it('with a stale resourceVersion in it is a conflict', async () => {
      expect((await client.patch(WEB, { metadata: { resourceVersion: '1' } })).status).to.equal(409)
    })

    it('for server-side apply is refused with a 415 that says so', async () => {
      const { status, body } = await client.patch(WEB, {}, 'application/apply-patch+yaml')
      expect([status, body.reason]).to.deep.equal([415, 'UnsupportedMediaType'])
      expect(body.message).to.contain('server-side apply')
    })

    it('can take a field out of managedFields for good', async () => {
      const mine = client.as({ 'user-agent': 'dormouse/1.0' })
      await mine.patch(WEB, { spec: { replicas: 5 } })
      // The entries' order changes with any write: the rollout's has to be through.
      const body = await eventually(
        client,
        DEPLOYMENTS,
        'web',
        ({ status, metadata }) => status?.['observedGeneration'] === metadata.generation,
      )
      const index = body.metadata.managedFields?.findIndex(({ manager }) => manager === 'dormouse')
      const path = `/metadata/managedFields/${index}/fieldsV1/f:spec/f:replicas`
      const patched = await mine.patch(WEB, [{ op: 'remove', path }], JSON_PATCH)
      expect(patched.status).to.equal(200)
      const owners = (await web()).metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1?.['f:spec'])
      expect(JSON.stringify(owners)).not.to.contain('f:replicas')
    })
  })

  describe('scale', () => {
    it('is an autoscaling/v1 Scale with the workload’s resourceVersion', async () => {
      const { body } = await client.get(`${WEB}/scale`)
      expect([body.apiVersion, body.kind]).to.deep.equal(['autoscaling/v1', 'Scale'])
      expect(body.spec).to.deep.equal({ replicas: 2 })
      expect(body.status?.['selector']).to.equal('app=web')
      expect(body.metadata.resourceVersion).to.equal((await web()).metadata.resourceVersion)
    })

    it('records its writer with the subresource', async () => {
      await client
        .as({ 'user-agent': 'kubectl/v1.32.4 (linux)' })
        .patch(`${WEB}/scale`, { spec: { replicas: 0 } })
      const { metadata, spec } = await web()
      expect(spec?.replicas).to.equal(0)
      const entry = metadata.managedFields?.find(({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:replicas'])
      expect(entry).to.include({ manager: 'kubectl', subresource: 'scale' })
    })

    it('refuses a negative count and a stale resourceVersion', async () => {
      expect((await client.patch(`${WEB}/scale`, { spec: { replicas: -1 } })).status).to.equal(422)
      const scale = { metadata: { name: 'web', resourceVersion: '1' }, spec: { replicas: 1 } }
      expect((await client.put(`${WEB}/scale`, scale)).status).to.equal(409)
    })

    it('is not there for DaemonSets', async () => {
      const path = '/apis/apps/v1/namespaces/default/daemonsets'
      await client.post(path, aWorkload('agent'))
      expect((await client.get(`${path}/agent/scale`)).status).to.equal(404)
    })
  })

  describe('delete', () => {
    it('of a namespace takes with it what lies in it', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'demo' } })
      const path = '/apis/apps/v1/namespaces/demo/deployments'
      await client.post(path, aWorkload('web'))
      await client.delete('/api/v1/namespaces/demo')
      expect((await client.get(path)).body.items).to.deep.equal([])
    })
  })

  it('a dry run changes nothing', async () => {
    const { version } = { version: (await client.get(DEPLOYMENTS)).body.metadata.resourceVersion }
    expect((await client.post(`${DEPLOYMENTS}?dryRun=All`, aWorkload('x'))).status).to.equal(201)
    expect((await client.patch(`${WEB}?dryRun=All`, { spec: { replicas: 8 } })).body.spec?.replicas).to.equal(
      8,
    )
    expect((await client.delete(`${WEB}?dryRun=All`)).status).to.equal(200)
    expect((await client.get(DEPLOYMENTS)).body.metadata.resourceVersion).to.equal(version)
    expect((await client.delete(`${WEB}?dryRun=some`)).status).to.equal(422)
  })

  it('events of both groups are one and the same', async () => {
    const event = {
      metadata: { name: 'web.1' },
      regarding: { kind: 'Deployment', name: 'web', namespace: 'default' },
      note: 'asleep',
      type: 'Normal',
      reason: 'Snoozed',
      reportingController: 'dormouse',
    }
    await client.post('/apis/events.k8s.io/v1/namespaces/default/events', event)
    const core = (await client.get('/api/v1/namespaces/default/events/web.1')).body
    expect(core).to.deep.include({ message: 'asleep', involvedObject: event.regarding })
    const found = await client.get('/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=web')
    expect(found.body.items).to.have.length(1)
    const back = (await client.get('/apis/events.k8s.io/v1/namespaces/default/events/web.1')).body
    expect(back).to.deep.include({
      note: 'asleep',
      regarding: event.regarding,
      apiVersion: 'events.k8s.io/v1',
    })
    expect(back).not.to.have.property('message')
  })

  describe('what a stranger may send', () => {
    it('is answered with a Status, whatever it is', async () => {
      const cases: [string, string, string | undefined, string, number][] = [
        ['GET', '/nothing', undefined, 'application/json', 404],
        ['GET', '/apis/apps/v1/namespaces/default/deployments/%zz', undefined, 'application/json', 400],
        ['GET', '/apis/apps/v2/deployments', undefined, 'application/json', 404],
        ['OPTIONS', WEB, undefined, 'application/json', 405],
        ['POST', DEPLOYMENTS, '{', 'application/json', 400],
        ['POST', DEPLOYMENTS, '[]', 'application/json', 400],
        ['POST', DEPLOYMENTS, 'k8s', 'application/vnd.kubernetes.protobuf', 415],
        ['POST', DEPLOYMENTS, '{}', 'text/plain', 415],
        ['POST', DEPLOYMENTS, JSON.stringify({ kind: 'Pod', apiVersion: 'v1' }), 'application/json', 400],
        ['GET', `${DEPLOYMENTS}?limit=many`, undefined, 'application/json', 400],
        ['GET', `${DEPLOYMENTS}?continue=nonsense`, undefined, 'application/json', 400],
        ['GET', `${DEPLOYMENTS}?labelSelector=%3D`, undefined, 'application/json', 400],
        ['PATCH', WEB, '[]', 'text/plain', 415],
      ]
      for (const [method, path, body, type, status] of cases) {
        const reply = await client.as({ 'content-type': type }).call(method, path, body)
        expect([reply.status, reply.body.kind], `${method} ${path} ${body}`).to.deep.equal([status, 'Status'])
      }
    })

    it('may not be larger than 3 MiB', async () => {
      const reply = await client.post(DEPLOYMENTS, { data: 'x'.repeat(4 * 1024 * 1024) })
      expect([reply.status, reply.body.reason]).to.deep.equal([413, 'RequestEntityTooLarge'])
    })

    it('may ask for no form but JSON', async () => {
      const reply = await client.as({ accept: 'application/cbor' }).get(WEB)
      expect([reply.status, reply.body.reason]).to.deep.equal([406, 'NotAcceptable'])
    })
  })
})
