import { expect } from 'chai'
import { freshSandbox } from '../cluster.ts'

const SECRETS = '/api/v1/namespaces/default/secrets'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

describe('sandbox API: what several replicas share', () => {
  const { client } = freshSandbox()

  for (const [what, collection, content, changed] of [
    ['a Secret', SECRETS, { data: { a: 'Yg==' } }, { data: { a: 'Yw==' } }],
    ['a Lease', LEASES, { spec: { holderIdentity: 'a' } }, { spec: { holderIdentity: 'b' } }],
  ] as const) {
    it(`${what} is created once, and replaced by the first who knows its version`, async () => {
      const object = { metadata: { name: 'dormouse' }, ...content }
      const creations = await Promise.all([1, 2, 3].map(() => client.post(collection, object)))
      expect(creations.map(({ status }) => status)).to.have.members([201, 409, 409])
      const { body } = await client.get(`${collection}/dormouse`)
      const replacements = await Promise.all(
        [1, 2, 3].map(() => client.put(`${collection}/dormouse`, { ...body, ...changed })),
      )
      const won = replacements.filter(({ status }) => status === 200)
      expect(won).to.have.length(1)
      expect(replacements.filter(({ body: { reason } }) => reason === 'Conflict')).to.have.length(2)
    })

    it(`${what} is watched by name, from the version that was read`, async () => {
      const { body } = await client.post(collection, { metadata: { name: 'dormouse' }, ...content })
      const { resourceVersion } = body.metadata
      const query = `watch=true&fieldSelector=metadata.name%3Ddormouse&resourceVersion=${resourceVersion}`
      const watch = await client.watch(`${collection}?${query}`)
      await client.post(collection, { metadata: { name: 'other' }, ...content })
      await client.put(`${collection}/dormouse`, { ...body, ...changed })
      await client.delete(`${collection}/dormouse`)
      const events = [await watch.next(), await watch.next()]
      watch.close()
      expect(events.map((event) => event?.type)).to.deep.equal(['MODIFIED', 'DELETED'])
      expect(events[0]?.object).to.deep.include(changed)
    })
  }

  it('a Secret takes stringData in updates too, and refuses data that is no base64', async () => {
    await client.post(SECRETS, { metadata: { name: 'key' }, data: { a: 'Yg==' } })
    const { body } = await client.patch(`${SECRETS}/key`, { stringData: { c: 'd' } })
    expect(body['data']).to.deep.equal({ a: 'Yg==', c: 'ZA==' })
    const { status } = await client.patch(`${SECRETS}/key`, { data: { a: 'not base64!' } })
    expect(status).to.equal(400)
  })

  it('a Secret keeps its type, and one for TLS has both its keys', async () => {
    const tls = { metadata: { name: 'tls' }, type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }
    const { status, body } = await client.post(SECRETS, tls)
    expect([status, body.details.causes?.map(({ field }) => field)]).to.deep.equal([422, ['data[tls.key]']])
    await client.post(SECRETS, { ...tls, data: { 'tls.crt': '', 'tls.key': '' } })
    expect((await client.patch(`${SECRETS}/tls`, { type: 'Opaque' })).status).to.equal(422)
  })
})
