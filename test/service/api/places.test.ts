import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import type { ApiDeps } from '../../../src/service/api/ports.ts'
import { eventually } from '../../support/eventually.ts'
import { managed } from './states.ts'
import { Service, token, type Answer } from './service.ts'

/** For one subject, and in total (src/service/api/places.ts). */
const ANSWERS = { ofSubject: 16, inAll: 64 }
const WAITS = { ofSubject: 64, inAll: 256 }
const REHEARSAL = 'POST shop/deployments/web/snooze?dryRun=true'
/** Bytes: more than the system keeps for a client that does not read. */
const LARGE = 16_000_000

const asSubject = async (sub: string) => ({ token: await token({ claims: { sub } }) })

describe('places of answers', () => {
  let service: Service
  let open: () => void
  /** How many reads of the cluster wait until `open`. */
  let held: number
  const held64: Promise<Answer>[] = []

  beforeEach(async () => {
    service = await Service.start()
    service.cluster.put(managed())
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = service.cluster.read.bind(service.cluster)
    open = resolve
    held = 0
    service.cluster.read = async (key) => {
      held += 1
      await promise
      return await read(key)
    }
  })

  afterEach(async () => {
    open()
    await Promise.all(held64.splice(0))
    await service.stop()
  })

  /** Begins so many requests whose answers are still to come. */
  const hold = async (count: number, sub: string) => {
    const before = held
    const call = await asSubject(sub)
    for (let index = 0; index < count; index += 1) held64.push(service.call(REHEARSAL, call))
    await eventually('the requests to be in flight', () => held === before + count)
  }

  it('one subject has 16: one more is 429 with Retry-After, whatever it asks, and others are answered', async () => {
    await hold(ANSWERS.ofSubject, 'alice')
    const refused = await service.call('GET /nowhere')
    expect([refused.code, refused.headers.get('retry-after')]).to.deep.equal(['RATE_LIMITED', '1'])
    expect(refused.body.error.message).to.include('16 requests of one caller at once')
    const path = 'GET shop/deployments/web'
    expect((await service.call(path, await asSubject('bob'))).status).to.equal(200)
    open()
    expect((await Promise.all(held64)).map(({ status }) => status)).to.deep.equal(Array(16).fill(200))
    expect((await service.call(path)).status).to.equal(200)
  })

  it('all subjects together have 64', async () => {
    for (const sub of ['a', 'b', 'c', 'd']) await hold(ANSWERS.ofSubject, sub)
    expect(held).to.equal(ANSWERS.inAll)
    const refused = await service.call('GET shop/deployments/web', await asSubject('e'))
    expect(refused.code).to.equal('RATE_LIMITED')
    expect((await service.call('GET /api/v1/openapi.json', { token: null })).status).to.equal(200)
  })

  it('are given back by clients that leave', async () => {
    const gone = new AbortController()
    const call = { ...(await asSubject('alice')), signal: gone.signal }
    const left = Array.from({ length: ANSWERS.ofSubject }, () =>
      service.call(REHEARSAL, call).catch(() => {}),
    )
    await eventually('the requests to be in flight', () => held === ANSWERS.ofSubject)
    gone.abort()
    await Promise.all(left)
    await eventually(
      'the places',
      async () => (await service.call('GET shop/deployments/web')).status === 200,
    )
  })
})

describe('places of answers without a token', () => {
  const page: NonNullable<ApiDeps['console']> = {
    answer: async ({ path }) =>
      path === '/large' ? { status: 200, headers: {}, body: Buffer.alloc(LARGE) } : undefined,
  }
  const clients: Socket[] = []
  let service: Service

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    await service.stop()
  })

  /** Asks for the page and reads its first bytes only. */
  const unread = async (headers: string) => {
    const client = connect(Number(new URL(service.server.url).port), '127.0.0.1')
    clients.push(client.on('error', () => undefined))
    client.write(`GET /large HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
    await once(client, 'readable')
    return client
  }
  const document = (headers = {}) => service.call('GET /api/v1/openapi.json', { token: null, headers })

  it('one address has 16 until they are read, that of the client behind a trusted proxy; tokens have places of their own', async () => {
    service = await Service.start({ trustedProxies: ['127.0.0.1'] }, { console: page })
    service.cluster.put(managed())
    const from = (address: string) => ({ 'X-Forwarded-For': address })
    for (let index = 0; index < ANSWERS.ofSubject; index += 1) await unread('X-Forwarded-For: 192.0.2.1\r\n')
    const refused = await document(from('192.0.2.1'))
    expect([refused.code, refused.headers.get('retry-after')]).to.deep.equal(['RATE_LIMITED', '1'])
    expect((await service.call('GET shop/deployments/web')).status).to.equal(200)
    expect((await document(from('192.0.2.2'))).status).to.equal(200)
    clients[0]?.resume()
    await eventually('a place', async () => (await document(from('192.0.2.1'))).status === 200)
  })
})

describe('places of those that wait for pods', function () {
  this.timeout(60_000)
  const WEB = { kind: 'deployments', namespace: 'shop', name: 'web' } as const
  let service: Service
  let clients: AbortController
  const waiting: Promise<unknown>[] = []

  beforeEach(async () => {
    clients = new AbortController()
    service = await Service.start()
    service.cluster.put(managed())
  })

  afterEach(async () => {
    await service.stop()
    await Promise.all(waiting.splice(0))
  })

  /** Begins so many requests that wait, one at a time: until they wait they have places among answers. */
  const wait = async (count: number, sub: string) => {
    const call = { ...(await asSubject(sub)), signal: clients.signal }
    for (let index = 0; index < count; index += 1) {
      const name = `${sub}${index}`
      service.cluster.put(managed({}, { name }))
      waiting.push(service.call(`POST shop/deployments/${name}/snooze?wait=5m`, call).catch(() => undefined))
      const isWritten = () => service.cluster.mustGet({ ...WEB, name }).replicas === 0
      await eventually('the write', isWritten, { pause: 1 })
    }
  }

  it('are none of those of answers; past 64 of a subject, and 256 in all, the answer comes at once', async () => {
    await wait(WAITS.ofSubject, 'alice')
    expect((await service.call('GET shop/deployments/web')).status).to.equal(200)
    const { body } = await service.call('POST shop/deployments/web/snooze?wait=5m')
    expect(body.data['operation_in_progress']).to.equal(true)
    expect(body.message).to.match(/^snoozed.*; its pods have not followed yet$/)
    for (const sub of ['b', 'c', 'd']) await wait(WAITS.ofSubject, sub)
    service.cluster.put(managed({}, { name: 'last' }))
    const late = await service.call('POST shop/deployments/last/snooze?wait=5m', await asSubject('e'))
    expect(late.body.data['operation_in_progress']).to.equal(true)
  })

  it('are given back by clients that leave', async () => {
    await wait(WAITS.ofSubject, 'alice')
    clients.abort()
    const answersLate = async () => {
      const begun = performance.now()
      await service.call('POST shop/deployments/web/snooze?wait=1s')
      return performance.now() - begun >= 1000
    }
    await eventually('a place', answersLate)
  })

  it('a namespace at a time takes one of them, and past them it answers at once, too', async () => {
    await wait(WAITS.ofSubject, 'alice')
    const { status, body } = await service.call('POST shop/snooze?wait=5m&kind=deployments')
    expect([status, body.message]).to.deep.equal([200, '1 done, 64 unchanged, 0 refused'])
  })
})
