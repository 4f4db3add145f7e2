import { expect } from 'chai'
import { OneSecret } from '../../src/kubernetes/secret.ts'
import type { StoredSecret } from '../../src/kubernetes/ports.ts'
import {
  answer,
  failure,
  FakeApiServer,
  silentLogger,
  until,
  type FakeCollection,
} from './fake-api-server.ts'

const NAME = 'dormouse-webhook'

describe('one Secret', () => {
  let server: FakeApiServer
  let secrets: FakeCollection
  let secret: OneSecret
  let life: AbortController
  let watching: Promise<void>
  let seen: (StoredSecret['data'] | undefined)[]

  const open = () => {
    const options = { namespace: 'dormouse', name: NAME, logger: silentLogger, delay: async () => {} }
    return new OneSecret({ client: server.client, ...options })
  }

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    secrets = server.collection('/api/v1/namespaces/dormouse/secrets')
    secret = open()
    life = new AbortController()
    watching = Promise.resolve()
    seen = []
  })

  afterEach(async () => {
    life.abort()
    await watching
    await server.close()
  })

  const watch = async () => {
    watching = secret.watch((content) => void seen.push(content?.data), life.signal)
    await until(() => secrets.watches.size === 1)
  }

  it('is created once: the second creation is a conflict, and reads the first', async () => {
    const other = open()
    expect(await secret.read()).to.equal(undefined)
    const [first, second] = await Promise.all([secret.create({ a: 'ä' }), other.create({ a: 'b' })])
    expect([first, second].filter((answered) => answered === 'conflict')).to.have.length(1)
    expect(await other.read()).to.deep.equal(await secret.read())
  })

  it('is written only at the version that was read, whole, and nothing but its data', async () => {
    const created = await secret.create({ a: '1', b: '2' })
    if (created === 'conflict') return expect.fail('there was one')
    const stored = secrets.objects.get(NAME)!
    stored.metadata['labels'] = { kept: 'yes' }
    expect(await secret.update({ a: '3' }, created.resourceVersion)).to.deep.include({ data: { a: '3' } })
    expect(secrets.objects.get(NAME)?.metadata['labels']).to.deep.equal({ kept: 'yes' })
    expect(await secret.update({ a: '4' }, created.resourceVersion)).to.equal('conflict')
    secrets.delete(NAME)
    expect(await secret.update({ a: '4' }, created.resourceVersion)).to.equal('conflict')
  })

  it('throws where the cluster refuses', async () => {
    secrets.refuse = (_, response) => (answer(response, 403, failure(403, 'not yours', 'Forbidden')), true)
    for (const call of [secret.read(), secret.create({}), secret.update({}, '1')]) {
      expect(await call.then(() => '', String)).to.match(/not yours/)
    }
  })

  it('is watched: its present state, each change and its deletion, and no other Secret', async () => {
    await watch()
    secrets.put({ metadata: { name: 'another' }, data: {} })
    secrets.put({ metadata: { name: NAME }, data: { a: 'MQ==' } })
    secrets.delete(NAME)
    await until(() => seen.length === 3)
    expect(seen).to.deep.equal([undefined, { a: '1' }, undefined])
    const { query } = server.received.find((received) => received.query.has('watch'))!
    expect(query.get('fieldSelector')).to.equal(`metadata.name=${NAME}`)
    expect(query.get('allowWatchBookmarks')).to.equal('true')
  })

  it('is gone where a list no longer has it', async () => {
    await watch()
    secrets.put({ metadata: { name: NAME }, data: { a: 'MQ==' } })
    await until(() => seen.length === 2)
    secrets.objects.clear()
    secrets.cut({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    await until(() => seen.length === 3)
    expect(seen.at(-1)).to.equal(undefined)
  })

  it('is never shown at a version older than one written here', async () => {
    await watch()
    const created = await secret.create({ a: '1' })
    if (created === 'conflict') return expect.fail('there was one')
    const old = structuredClone(secrets.objects.get(NAME))
    await secret.update({ a: '2' }, created.resourceVersion)
    for (const response of secrets.watches) {
      response.write(`${JSON.stringify({ type: 'MODIFIED', object: old })}\n`)
    }
    secrets.put({ metadata: { name: NAME }, data: { a: 'Mw==' } })
    await until(() => seen.at(-1)?.['a'] === '3')
    const afterTwo = seen.slice(seen.findIndex((data) => data?.['a'] === '2'))
    expect(afterTwo.map((data) => data?.['a'])).to.deep.equal(['2', '3'])
  })
})
