import { expect } from 'chai'
import { aWorkload, DEPLOYMENTS, freshSandbox } from '../cluster.ts'

describe('sandbox API: lists and forms', () => {
  const here = freshSandbox()
  const { client } = here

  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.post(DEPLOYMENTS, aWorkload(name))
  })

  it('come in pages that show one and the same moment', async () => {
    const first = await client.get(`${DEPLOYMENTS}?limit=2`)
    expect(first.body.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b'])
    await client.delete(`${DEPLOYMENTS}/c`)
    await client.post(DEPLOYMENTS, aWorkload('cc'))
    const next = await client.get(`${DEPLOYMENTS}?limit=3&continue=${first.body.metadata.continue}`)
    expect(next.body.items.map(({ metadata }) => metadata.name)).to.deep.equal(['c', 'd', 'e'])
    expect(next.body.metadata.resourceVersion).to.equal(first.body.metadata.resourceVersion)
    expect(next.body.metadata.continue).to.equal(undefined)
  })

  it('are filtered by labels and by name, in one namespace or in all', async () => {
    const names = async (path: string) =>
      (await client.get(path)).body.items.map(({ metadata }) => metadata.name)
    expect(await names('/apis/apps/v1/deployments?labelSelector=app%20in%20(a,b)')).to.deep.equal(['a', 'b'])
    expect(await names(`${DEPLOYMENTS}?fieldSelector=metadata.name=c`)).to.deep.equal(['c'])
    expect(await names('/apis/apps/v1/namespaces/kube-system/deployments')).to.deep.equal([])
  })

  it('carry no kind on their items, as a real server’s do not', async () => {
    const { body } = await client.get(DEPLOYMENTS)
    expect([body.kind, body.apiVersion]).to.deep.equal(['DeploymentList', 'apps/v1'])
    expect(body.items[0]).not.to.have.any.keys('kind', 'apiVersion')
  })

  it('come as Tables with the columns that kubectl users know', async () => {
    const table = client.as({ accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' })
    const { body } = await table.get(DEPLOYMENTS)
    expect(body.kind).to.equal('Table')
    expect(body.columnDefinitions.map(({ name }) => name)).to.deep.equal([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
    ])
    expect(body.rows).to.have.length(5)
    expect(body.rows[0]?.cells[0]).to.equal('a')
    expect(body.rows[0]?.object.kind).to.equal('PartialObjectMetadata')
  })

  it('and answers to writes come as metadata alone when asked for so', async () => {
    const bare = client.as({ accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' })
    const { body } = await bare.patch(`${DEPLOYMENTS}/a`, { spec: { replicas: 4 } })
    expect(body.kind).to.equal('PartialObjectMetadata')
    expect(body).to.have.all.keys('kind', 'apiVersion', 'metadata')
    const list = await client
      .as({ accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' })
      .get(DEPLOYMENTS)
    expect(list.body.kind).to.equal('PartialObjectMetadataList')
    expect(list.body.items[0]).not.to.have.property('spec')
  })

  it('are described by discovery', async () => {
    const apps = (await client.get('/apis/apps/v1')).body
    expect(apps['resources']).to.be.an('array')
    expect(JSON.stringify(apps)).to.contain('"deployments/scale"')
    expect((await client.get('/apis')).body['groups']).to.have.length(8)
    expect((await client.get('/version')).body['gitVersion']).to.match(/^v1\./)
    for (const probe of ['/healthz', '/livez', '/readyz'])
      expect((await client.get(probe)).body.message).to.equal('ok')
  })
})
