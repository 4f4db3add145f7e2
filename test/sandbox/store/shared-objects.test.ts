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
})
