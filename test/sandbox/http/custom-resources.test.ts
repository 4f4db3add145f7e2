import { expect } from 'chai'
import { freshSandbox, JSON_PATCH, STRATEGIC_PATCH } from '../cluster.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const WHEELS = '/apis/kinds.example.com/v1beta2/namespaces/default/wheels'

/** `wheels.kinds.example.com` */
function definition() {
  const version = {
    name: 'v1beta2',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object' } },
  }
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas' } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'wheels.kinds.example.com' },
    spec: {
      group: 'kinds.example.com',
      scope: 'Namespaced',
      names: { plural: 'wheels', kind: 'Wheel', shortNames: ['wh'] },
      versions: [{ ...version, subresources }],
    },
  }
}

const wheel = (replicas: number) => ({ metadata: { name: 'front' }, spec: { replicas } })

describe('custom resources in the sandbox', () => {
  const { client } = freshSandbox()

  it('are served from their definition on, and named by discovery', async () => {
    expect((await client.post(WHEELS, wheel(2))).status).to.equal(404)
    const made = await client.post(DEFINITIONS, definition())
    expect(made.status).to.equal(201)
    expect(made.body.status?.['conditions']).to.deep.include({ type: 'Established', status: 'True' })
    const created = await client.post(WHEELS, wheel(2))
    expect(created.status).to.equal(201)
    expect(created.body).to.deep.include({ apiVersion: 'kinds.example.com/v1beta2', kind: 'Wheel' })
    const group = await client.get('/apis/kinds.example.com')
    expect(group.body).to.have.nested.property('preferredVersion.version', 'v1beta2')
    const { resources } = (await client.get('/apis/kinds.example.com/v1beta2')).body as unknown as {
      resources: { name: string }[]
    }
    expect(resources.map(({ name }) => name)).to.deep.equal(['wheels', 'wheels/status', 'wheels/scale'])
  })

  it('are changed like others: by patches, by their scale and by their status', async () => {
    await client.post(DEFINITIONS, definition())
    await client.post(WHEELS, wheel(2))
    await client.patch(`${WHEELS}/front`, [{ op: 'replace', path: '/spec/replicas', value: 3 }], JSON_PATCH)
    await client.patch(`${WHEELS}/front/scale`, { spec: { replicas: 4 } })
    await client.patch(`${WHEELS}/front/status`, { status: { replicas: 4 } })
    const { body } = await client.get(`${WHEELS}/front`)
    expect(body.spec).to.deep.equal({ replicas: 4 })
    expect(body.status).to.deep.equal({ replicas: 4 })
    expect(body.metadata.generation).to.equal(3)
  })

  it('take no strategic merge patch, and no update without a resourceVersion', async () => {
    await client.post(DEFINITIONS, definition())
    await client.post(WHEELS, wheel(2))
    const patched = await client.patch(`${WHEELS}/front`, { spec: { replicas: 3 } }, STRATEGIC_PATCH)
    expect(patched.status).to.equal(415)
    expect((await client.put(`${WHEELS}/front`, wheel(3))).status).to.equal(422)
  })

  it('go with their definition', async () => {
    await client.post(DEFINITIONS, definition())
    await client.post(WHEELS, wheel(2))
    await client.delete(`${DEFINITIONS}/wheels.kinds.example.com`)
    expect((await client.get(WHEELS)).status).to.equal(404)
  })
})
