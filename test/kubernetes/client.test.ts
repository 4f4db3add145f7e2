import { getEventListeners } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import type { Authentication } from '../../src/kubernetes/credentials.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { HttpTransport } from '../../src/kubernetes/http.ts'
import {
  FakeApiServer,
  answer,
  clientFor,
  failure,
  transportTo,
  type Handler,
  type RecordingObserver,
  until,
} from './fake-api-server.ts'
import { WEB, deployment } from './objects.ts'

async function refusal(call: Promise<unknown>): Promise<ClusterRefusal> {
  const error: unknown = await call.then(
    () => expect.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(ClusterRefusal)
  return error as ClusterRefusal
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const each of items) found.push(each)
  return found
}

const TIMEOUT = { code: 'CLUSTER_UNAVAILABLE', noAnswer: 'timeout' }

const respond =
  (status: number, body: object, headers = {}): Handler =>
  (_, response) =>
    answer(response, status, body, headers)

const messageOf = ({ message }: Error) => message

describe('the client', () => {
  let server: FakeApiServer
  let transport: HttpTransport
  let observer: RecordingObserver
  let client: KubernetesClient

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    transport = server.transport
    observer = server.observer
    client = server.client
  })

  afterEach(async () => {
    await server.close()
  })

  const isWeb: Handler = (_, response) => answer(response, 200, deployment('web'))
  const silent: Handler = () => {}
  const inTurn = (...handlers: Handler[]) => {
    server.handler = (received, response) =>
      (handlers.length > 1 ? handlers.shift() : handlers[0])?.(received, response)
  }

  it('gets a workload by its path', async () => {
    inTurn(isWeb)
    expect(await client.get(WEB)).to.deep.equal(deployment('web'))
    expect(server.received[0]).to.include({
      method: 'GET',
      path: '/apis/apps/v1/namespaces/shop/deployments/web',
    })
    expect(observer.calls).to.deep.equal(['get deployments 200'])
  })

  it('gives up a page of a list that trickles without end', async () => {
    inTurn((_, response) => {
      response.writeHead(200).write('{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{}},')
      const trickle = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(trickle))
    })
    const patience = clientFor(transport, observer, 500)
    const { items } = await patience.listPage(
      { resource: 'deployments', path: '/apis/apps/v1/deployments' },
      500,
      '',
      new AbortController().signal,
    )
    const { noAnswer } = await refusal(all(items))
    expect(noAnswer).to.equal('timeout')
  })

  it('keeps no process from ending by a page that nobody reads', async () => {
    inTurn((_, response) => response.writeHead(200).end('{"metadata":{"resourceVersion":"1"},"items":[]}'))
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const stop = new AbortController()
    const page = () => client.listPage({ resource: 'deployments', path: '/x' }, 500, '', stop.signal)
    // undici has timers of its own from then on.
    await all((await page()).items)
    const before = timers()
    await page()
    stop.abort()
    expect(timers()).to.be.at.most(before)
  })

  it('refuses a key without a name: its path would be that of the collection', async () => {
    for (const key of ['shop/', '/web', 'shop/..', './web']) {
      const [namespace = '', name = ''] = key.split('/')
      const error: unknown = await client
        .get({ kind: 'deployments', namespace, name })
        .catch((thrown) => thrown)
      expect(error, key).to.be.instanceOf(TypeError)
    }
    expect(server.received).to.deep.equal([])
  })

  describe('of a configured kind', () => {
    const WEB_ROLLOUT = { kind: 'rollouts.argoproj.io', namespace: 'shop', name: 'web' } as const
    const at = (version: string) => `/apis/argoproj.io/${version}/namespaces/shop/rollouts/web`
    const missing = { ...failure(404, 'rollouts "web" not found', 'NotFound'), details: { kind: 'rollouts' } }
    const unserved: Handler = (_, response) => void response.writeHead(404).end('404 page not found')
    /** It is found at v1 first, and then where `moved` says. */
    const located = (moved: string) =>
      new KubernetesClient({
        transport,
        observer,
        locate: async (_kind, _signal, left) => `/apis/argoproj.io/${left === undefined ? 'v1' : moved}`,
      })

    for (const [what, call] of [
      ['reads', (calls: KubernetesClient) => calls.get(WEB_ROLLOUT)],
      ['writes', (calls: KubernetesClient) => calls.patch(WEB_ROLLOUT, [])],
    ] as const)
      it(`${what} it where its definition has moved`, async () => {
        server.handler = (received, response) =>
          (received.path === at('v2') ? respond(200, deployment('web')) : unserved)(received, response)
        await call(located('v2'))
        expect(server.received.map(({ path }) => path)).to.deep.equal([at('v1'), at('v2')])
      })

    it('looks for it nowhere else where the object alone is missing, or nothing has moved', async () => {
      for (const [handler, moved] of [
        [respond(404, missing), 'v2'],
        [unserved, 'v1'],
      ] as const) {
        server.received.length = 0
        server.handler = handler
        expect(await refusal(located(moved).get(WEB_ROLLOUT))).to.include({ code: 'NOT_FOUND' })
        expect(server.received.map(({ path }) => path)).to.deep.equal([at('v1')])
      }
    })
  })

  it('patches by JSON Patch as field manager dormouse, and asks for the metadata only', async () => {
    inTurn(isWeb)
    await client.patch(WEB, [{ op: 'replace', path: '/spec/replicas', value: 0 }])
    const [sent] = server.received
    expect(sent?.method).to.equal('PATCH')
    expect(sent?.query.get('fieldManager')).to.equal('dormouse')
    expect(observer.calls).to.deep.equal(['patch deployments 200'])
    expect(sent?.headers['content-type']).to.equal('application/json-patch+json')
    expect(sent?.headers.accept).to.match(/^application\/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1/)
    expect(JSON.parse(sent?.body ?? '')).to.deep.equal([{ op: 'replace', path: '/spec/replicas', value: 0 }])
  })

  it('keeps its three sockets for reads: a hundred calls open no more', async () => {
    inTurn(isWeb)
    let most = 0
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        await client.get(WEB)
        most = Math.max(most, server.sockets.size)
      }),
    )
    expect(most).to.be.within(1, 3)
    expect(server.sockets.size).to.equal(most)
  })

  describe('while more writes hang than there are sockets', () => {
    const LEASE = { method: 'PUT', verb: 'update', resource: 'leases', path: '/lease' } as const
    const REVIEW = { method: 'POST', resource: 'subjectaccessreviews', path: '/reviews', body: {} } as const
    const review = () => client.call(REVIEW)
    let writes: Promise<unknown>[]

    beforeEach(async () => {
      server.handler = (received, response) => {
        if (received.method !== 'PATCH') answer(response, 200, deployment('web'))
      }
      writes = Array.from({ length: 44 }, () => refusal(client.patch(WEB, [], { timeout: 1500 })))
      await until(() => server.received.length === 42)
    })

    it('the Lease, reads and reviews are answered', async () => {
      await Promise.all([client.call(LEASE), client.get(WEB), review()])
      expect(server.received.filter(({ method }) => method === 'PATCH')).to.have.length(42)
      await Promise.all(writes)
    })

    it('one is said to hang where most writes were answered meanwhile, and only there', async () => {
      await Promise.all(Array.from({ length: 60 }, () => client.call(LEASE)))
      const hung = (await Promise.all(writes)) as ClusterRefusal[]
      expect(new Set(hung.slice(0, 42).map(({ noAnswer }) => noAnswer))).to.deep.equal(new Set(['hung']))
      const alone = await refusal(client.patch(WEB, [], { timeout: 50 }))
      expect(alone.noAnswer).to.equal('timeout')
    })

    it('none is said to hang where reads alone were answered: etcd may be slow to write', async () => {
      await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 2 ? review() : client.get(WEB))))
      const late = (await Promise.all(writes)) as ClusterRefusal[]
      expect(new Set(late.map(({ noAnswer }) => noAnswer))).to.deep.equal(new Set(['timeout']))
    })

    it('the time of one that waits for a socket begins when it has that', async () => {
      server.handler = (_, response) => void setTimeout(() => answer(response, 200, deployment('web')), 2000)
      await client.patch(WEB, [], { timeout: 2500 })
      await Promise.all(writes)
    })
  })

  for (const { what, answers, error, details } of [
    {
      what: 'NOT_FOUND at a 404',
      answers: respond(404, failure(404, 'deployments.apps "web" not found', 'NotFound')),
      error: { code: 'NOT_FOUND', status: 404 },
    },
    {
      what: "CLUSTER_REJECTED with the cluster's own message at any other 4xx",
      answers: respond(403, failure(403, 'deployments is forbidden', 'Forbidden')),
      error: { code: 'CLUSTER_REJECTED' },
      details: { status: 403, message: 'deployments is forbidden', reason: 'Forbidden' },
    },
    {
      what: 'CLUSTER_UNAVAILABLE at a 5xx, and when to try again',
      answers: respond(503, failure(503, 'shutting down'), { 'retry-after': '9' }),
      error: { code: 'CLUSTER_UNAVAILABLE', retryAfter: 9 },
    },
    {
      what: 'CLUSTER_UNAVAILABLE where a proxy does not answer in JSON',
      answers: (_, response) => response.writeHead(502).end('<html>bad gateway</html>'),
      error: { code: 'CLUSTER_UNAVAILABLE' },
      details: { message: '<html>bad gateway</html>' },
    },
    { what: 'CLUSTER_UNAVAILABLE where the server never answers', answers: silent, error: TIMEOUT },
    {
      what: 'CLUSTER_UNAVAILABLE where the server stops in the middle of an answer',
      answers: (_, response) => response.writeHead(200, { 'content-length': '100' }).write('{'),
      error: TIMEOUT,
    },
  ] satisfies { what: string; answers: Handler; error: object; details?: object }[])
    it(`throws ${what}`, async () => {
      inTurn(answers)
      const thrown = await refusal(clientFor(transport, observer, error === TIMEOUT ? 50 : 5000).get(WEB))
      expect(thrown).to.include(error)
      expect(thrown.details).to.deep.include(details ?? {})
      expect(server.received).to.have.length(1)
    })

  it('tries a 429 again after its Retry-After, three times, then gives up', async () => {
    const pauses: number[] = []
    const delay = async (milliseconds: number) => void pauses.push(milliseconds)
    client = new KubernetesClient({ transport, observer, delay })
    const busy: Handler = (_, response) =>
      answer(response, 429, failure(429, 'too many requests'), { 'retry-after': '1' })
    inTurn(busy, busy, isWeb)
    await client.get(WEB)
    expect(pauses).to.have.length(2)
    expect(Math.min(...pauses)).to.be.at.least(1000)

    inTurn(busy)
    expect(await refusal(client.get(WEB))).to.include({
      code: 'CLUSTER_UNAVAILABLE',
      status: 429,
      retryAfter: 1,
    })
    expect(observer.calls.filter((call) => call.endsWith('429'))).to.have.length(6)
  })

  it('throws the reason of who aborts while it waits out a 429', async () => {
    const stop = new AbortController()
    client = new KubernetesClient({ transport, observer })
    inTurn((_, response) => {
      answer(response, 429, failure(429, 'too many requests'), { 'retry-after': '20' })
      setTimeout(() => stop.abort(new Error('enough')), 50)
    })
    const thrown = await client.get(WEB, stop.signal).catch((error: unknown) => error)
    expect(thrown).to.equal(stop.signal.reason)
  })

  it('throws CLUSTER_UNAVAILABLE where no server listens', async () => {
    await server.stop()
    const thrown = await refusal(client.get(WEB))
    expect(thrown).to.include({ code: 'CLUSTER_UNAVAILABLE', status: 0, noAnswer: 'unreachable' })
    expect(thrown.retryAfter).to.be.above(0)
    expect(observer.calls).to.deep.equal(['get deployments 0'])
    await server.start()
  })

  describe('whose credentials come late', () => {
    let slow: HttpTransport
    const authenticatedBy = (current: () => Promise<Authentication>) => {
      slow = new HttpTransport({
        server: server.url,
        proxy: undefined,
        known: undefined,
        current,
        renew() {},
      })
      inTurn(isWeb)
    }
    const credentials = { headers: {}, tls: {}, tlsId: '' }
    afterEach(() => slow.close())

    it('sends nothing any more when they took all of its time', async () => {
      let wait = 0
      authenticatedBy(() => sleep(wait, credentials))
      // Leaves a socket on which the next call would be sent at once.
      await clientFor(slow, observer).get(WEB)
      wait = 60
      expect(await refusal(clientFor(slow, observer, 20).patch(WEB, []))).to.include(TIMEOUT)
      await client.get(WEB)
      expect(server.received.map(({ method }) => method)).to.deep.equal(['GET', 'GET'])
    })

    it('waits for them no longer than its caller and its time allow, and leaves nothing behind', async () => {
      const coming = Promise.withResolvers<Authentication>()
      authenticatedBy(() => coming.promise)
      expect(await refusal(clientFor(slow, observer, 20).get(WEB))).to.include(TIMEOUT)
      const caller = new AbortController()
      const given = clientFor(slow, observer).get(WEB, caller.signal).catch(messageOf)
      caller.abort(new Error('had enough'))
      expect(await given).to.equal('had enough')
      const patient = new AbortController().signal
      const got = clientFor(slow, observer).get(WEB, patient)
      coming.resolve(credentials)
      await got
      expect(getEventListeners(patient, 'abort')).to.deep.equal([])
      expect(server.received).to.have.length(1)
    })
  })

  it('throws CLUSTER_UNAVAILABLE where the server does not speak HTTP', async () => {
    const rude = createServer((socket) => socket.end('SSH-2.0-nonsense\r\n'))
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
    const elsewhere = transportTo(new URL(`http://127.0.0.1:${(rude.address() as AddressInfo).port}`))
    expect(await refusal(clientFor(elsewhere).get(WEB))).to.include({ code: 'CLUSTER_UNAVAILABLE' })
    await elsewhere.close()
    rude.close()
  })

  it('reads again at once when the connection was cut, but never writes again', async () => {
    inTurn((_, response) => response.destroy(), isWeb)
    await client.get(WEB)
    inTurn((_, response) => response.destroy())
    const thrown = await refusal(client.patch(WEB, []))
    expect(thrown).to.include({ code: 'CLUSTER_UNAVAILABLE', noAnswer: 'cut' })
    expect(server.received.filter(({ method }) => method === 'PATCH')).to.have.length(1)
  })

  it('may have written where an answer ends early, also one that was to be the last of its connection', async () => {
    const framings = [{ 'content-length': '100' }, { 'transfer-encoding': 'chunked' }]
    for (const framing of framings)
      for (const connection of ['keep-alive', 'close']) {
        inTurn((_, response) => {
          response.writeHead(200, { ...framing, connection }).write('{', () => response.destroy())
        })
        const thrown = await refusal(client.patch(WEB, []))
        expect(thrown, JSON.stringify({ ...framing, connection })).to.include({ noAnswer: 'cut' })
      }
  })

  it('has no answer where a refused watch ends in the middle of why', async () => {
    inTurn((_, response) => {
      response.writeHead(403, { 'content-length': '100' }).write('{', () => response.destroy())
    })
    const { signal } = new AbortController()
    const options = { resourceVersion: '1', timeoutSeconds: 1, silence: 1000, signal }
    const watch = client.watch({ resource: 'deployments', path: '/apis/apps/v1/deployments' }, options)
    expect(await refusal(watch)).to.include({ code: 'CLUSTER_UNAVAILABLE', noAnswer: 'cut' })
  })

  it("throws the caller's own reason when the caller gives up", async () => {
    const giveUp = new AbortController()
    inTurn(() => giveUp.abort(new Error('had enough')))
    const thrown = await client.get(WEB, giveUp.signal).catch(messageOf)
    expect(thrown).to.equal('had enough')
  })

  it('calls a server that lies below a path of its own', async () => {
    const below = transportTo(new URL('/clusters/one/', server.url))
    inTurn(isWeb)
    await clientFor(below).get(WEB)
    expect(server.received[0]?.path).to.equal('/clusters/one/apis/apps/v1/namespaces/shop/deployments/web')
    await below.close()
  })

  it('sends nothing after it was closed', async () => {
    await transport.close()
    expect(await refusal(client.get(WEB))).to.include({ code: 'CLUSTER_UNAVAILABLE' })
    expect(server.received).to.have.length(0)
  })
})
