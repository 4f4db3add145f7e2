import { expect } from 'chai'
import { minReplicasOf, SCALED_OBJECTS } from '../../src/domain/autoscaling/scaled-object.ts'
import { valueOf } from '../../src/domain/companions/companion.ts'
import { isPausedByUs } from '../../src/domain/companions/mark.ts'
import { configuredRows } from '../../src/domain/companions/configured.ts'
import type { PauseChange } from '../../src/domain/companions/pause.ts'
import { CompanionPatcher } from '../../src/kubernetes/companion-patcher.ts'
import { CompanionInformer } from '../../src/kubernetes/companions.ts'
import { eventually } from '../support/eventually.ts'
import { answer, failure, FakeApiServer, silentLogger, type FakeCollection } from './fake-api-server.ts'

const DEFINITION = {
  metadata: { name: 'scaledobjects.keda.sh' },
  spec: {
    group: 'keda.sh',
    names: { kind: 'ScaledObject' },
    versions: [{ name: 'v1alpha1', served: true, storage: true }],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
}
const WEB = { kind: 'deployments', namespace: 'shop', name: 'web' } as const

function web(name = 'web', annotations?: object) {
  return {
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...(annotations && { annotations }) },
    spec: { scaleTargetRef: { name: 'web' }, minReplicaCount: 1, triggers: [{ type: 'cron' }] },
  }
}

describe('the informer of companions', () => {
  let server: FakeApiServer
  let informer: CompanionInformer
  let crds: FakeCollection
  let scalers: FakeCollection

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    crds = server.collection('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
    scalers = server.collection('/apis/keda.sh/v1alpha1/scaledobjects')
    scalers.refuse = (_, response) => {
      const isServed = crds.objects.size > 0
      if (!isServed) answer(response, 404, failure(404, 'not served', 'NotFound'))
      return !isServed
    }
    const { client, observer } = server
    informer = new CompanionInformer({ client, observer, logger: silentLogger, rows: [SCALED_OBJECTS] })
  })

  afterEach(async () => {
    await informer.stop()
    await server.close()
  })

  const RESOURCE = SCALED_OBJECTS.resource
  const asked = () => server.received.filter(({ path }) => path.includes('keda.sh/'))

  it('asks for none where they have no definition', async () => {
    await informer.start()
    expect(informer.isConnected(RESOURCE)).to.equal(true)
    expect(informer.isPresent(RESOURCE)).to.equal(false)
    expect([...informer.list()]).to.deep.equal([])
    expect(asked()).to.deep.equal([])
  })

  it('has them when it is started, trimmed, and found by their target', async () => {
    crds.put(DEFINITION)
    scalers.put(web('web', { 'dormouse.dev/paused': '', other: 'x' }))
    await informer.start()
    expect(informer.isConnected(RESOURCE)).to.equal(true)
    const [scaler] = informer.of(RESOURCE, WEB)
    expect(scaler?.object).to.deep.equal({
      metadata: { annotations: { 'dormouse.dev/paused': '' } },
      spec: { scaleTargetRef: { name: 'web' }, minReplicaCount: 1 },
    })
  })

  it('finds KEDA when it is installed, and forgets its objects when its definition is removed', async () => {
    await informer.start()
    scalers.put(web())
    const told: string[] = []
    informer.onChange((before, after) => told.push(`${before?.name ?? '-'} > ${after?.name ?? '-'}`))
    crds.put(DEFINITION)
    await eventually('the ScaledObject', () => informer.of(RESOURCE, WEB).length === 1)
    await eventually('the watch', () => informer.isConnected(RESOURCE))
    crds.delete('scaledobjects.keda.sh')
    scalers.cut()
    await eventually('it to be forgotten', () => informer.of(RESOURCE, WEB).length === 0)
    expect(informer.isPresent(RESOURCE)).to.equal(false)
    expect(told).to.deep.equal(['- > web', 'web > -'])
    const count = asked().length
    crds.put(DEFINITION)
    await eventually('them to be asked for again', () => asked().length > count)
    await eventually('it again', () => informer.of(RESOURCE, WEB).length === 1)
  })

  it('waits for a definition to be established', async () => {
    crds.put({ metadata: { name: 'scaledobjects.keda.sh' } })
    await informer.start()
    expect(asked()).to.deep.equal([])
    crds.put(DEFINITION)
    await eventually('them to be asked for', () => asked().length > 0)
  })

  it('tells of nothing but what the rules read: KEDA writes a status at each poll', async () => {
    crds.put(DEFINITION)
    scalers.put(web())
    await informer.start()
    const told: unknown[] = []
    informer.onChange((_, after) => told.push(after && minReplicasOf(after)))
    scalers.put({ ...web(), status: { lastActiveTime: 'now' } })
    scalers.put({ ...web(), spec: { ...web().spec, minReplicaCount: 0 } })
    await eventually('the change', () => told.length > 0)
    expect(told).to.deep.equal([0])
  })

  for (const [what, collection, isPresent] of [
    ['list them, and says that it does not know them', () => scalers, true],
    ['even see their definition', () => crds, undefined],
  ] as const)
    it(`does not hold up the service where it may not ${what}`, async () => {
      crds.put(DEFINITION)
      collection().refuse = (_, response) => {
        answer(response, 403, failure(403, 'not allowed', 'Forbidden'))
        return true
      }
      await informer.start()
      expect(informer.isConnected(RESOURCE)).to.equal(false)
      if (isPresent) expect(informer.isPresent(RESOURCE)).to.equal(true)
    })

  it('says by name what is wrong with a configured resource, as long as that is so, and follows the others', async () => {
    const faults: (string | undefined)[] = []
    const { client, observer } = server
    const owner = { resource: 'clusters.example.com', pause: { path: '.spec.paused', asleep: true } }
    const rows = [SCALED_OBJECTS, ...configuredRows({ owners: [owner] })]
    const both = new CompanionInformer({ client, observer, logger: silentLogger, rows })
    both.onFault(() => faults.push(both.rows[1]?.fault))
    crds.put(DEFINITION)
    scalers.put(web())
    server.collection('/apis/example.com/v1/clusters')
    try {
      await both.start()
      expect(both.of(RESOURCE, WEB)).to.have.length(1)
      expect(faults.at(-1)).to.equal(
        'the cluster serves no clusters.example.com: is its CustomResourceDefinition installed?',
      )
      expect(both.watches).to.deep.equal([{ kind: 'clusters.example.com', connected: false }])
      const defined = (spec: object) => ({
        metadata: { name: 'clusters.example.com' },
        spec: {
          group: 'example.com',
          names: { kind: 'Cluster' },
          versions: [
            { name: 'v2', served: false, storage: true },
            { name: 'v1', served: true, schema: { openAPIV3Schema: { properties: { spec } } } },
          ],
        },
        status: DEFINITION.status,
      })
      crds.put(defined({ properties: { pause: {} } }))
      await eventually('the place that it lacks', () => faults.length === 2)
      expect(faults[1]).to.equal(
        'clusters.example.com cannot be followed: its definition has no .spec.paused',
      )
      crds.put(defined({ properties: { paused: {} } }))
      await eventually(
        'it to be followed',
        () => both.isPresent('clusters.example.com') && faults.length === 3,
      )
      expect(faults[2]).to.equal(undefined)
      expect(both.watches).to.deep.equal([{ kind: 'clusters.example.com', connected: true }])
    } finally {
      await both.stop()
    }
  })

  /** Pauses the only one of WEB. */
  async function pause(change: PauseChange = { value: '0', mark: '' }): Promise<void> {
    const gate = { run: <T>(_: unknown, task: (limit: undefined) => Promise<T>) => task(undefined) }
    const patcher = new CompanionPatcher({ client: server.client, copy: informer, gate })
    crds.put(DEFINITION)
    scalers.put(web())
    await informer.start()
    await patcher.pause(informer.of(RESOURCE, WEB)[0]!, change, {})
  }
  const answering = (status: number, body: object) => {
    const { handler } = server
    server.handler = (received, response) =>
      received.method === 'PATCH' ? answer(response, status, body) : handler(received, response)
  }

  it('takes over what a write of ours has made, before the watch tells', async () => {
    const { metadata, spec } = web('web', {
      'autoscaling.keda.sh/paused-replicas': '0',
      'dormouse.dev/paused': '',
    })
    answering(200, { metadata: { ...metadata, resourceVersion: '99' }, spec })
    await pause()
    const { path, query } = server.received.find(({ method }) => method === 'PATCH')!
    expect(path).to.equal('/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects/web')
    expect(query.get('fieldManager')).to.equal('dormouse')
    const written = informer.get(`${RESOURCE}/shop/web`)!
    expect([valueOf(written), isPausedByUs(written)]).to.deep.equal(['0', true])
  })

  it('gives up the field whose former value it has brought back, and takes a refusal of that as it is', async () => {
    const { metadata, spec } = web('web', { 'autoscaling.keda.sh/paused-replicas': '2' })
    const fieldsV1 = { 'f:metadata': { 'f:annotations': { 'f:autoscaling.keda.sh/paused-replicas': {} } } }
    const managedFields = [{ manager: 'kubectl' }, { manager: 'dormouse', operation: 'Update', fieldsV1 }]
    const written = { metadata: { ...metadata, resourceVersion: '99', managedFields }, spec }
    const { handler } = server
    const patches: unknown[] = []
    server.handler = (received, response) => {
      if (received.method !== 'PATCH') return handler(received, response)
      patches.push(JSON.parse(received.body))
      if (patches.length === 1) answer(response, 200, written)
      else answer(response, 422, failure(422, 'no such entry', 'Invalid'))
    }
    await pause({ value: '2', mark: null })
    const path = '/metadata/managedFields/1'
    const field = 'f:metadata/f:annotations/f:autoscaling.keda.sh~1paused-replicas'
    expect(patches.slice(1)).to.deep.equal([
      [
        { op: 'test', path: `${path}/manager`, value: 'dormouse' },
        { op: 'remove', path: `${path}/fieldsV1/${field}` },
      ],
    ])
  })

  it('says that somebody else was faster where the precondition of a write fails', async () => {
    answering(422, failure(422, 'the server rejected our request due to an error in our request', 'Invalid'))
    expect(await pause().catch((fault: unknown) => fault)).to.include({ code: 'CONFLICT' })
  })
})
