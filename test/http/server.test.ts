import { once } from 'node:events'
import { createServer, type ServerOptions } from 'node:http'
import { Agent, createServer as createTlsServer, get, type Server as TlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { expect } from 'chai'
import { HttpServer, type Listener } from '../../src/http/server.ts'
import { createLogger } from '../../src/process/logger.ts'
import { selfSigned } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw } from '../support/raw-http.ts'
import { Service, token } from '../service/api/service.ts'
import { managed } from '../service/api/states.ts'

const HEAD = 'HTTP/1.1\r\nHost: a\r\n'

/** Listens by this server, and answers nothing. */
function serverBy(
  createServer: NonNullable<Listener['createServer']>,
  { port = 0, logger = createLogger('silent') } = {},
) {
  const listener = { host: '127.0.0.1', port, createServer, handle: () => undefined }
  return new HttpServer([listener, { host: '127.0.0.1', port: 0, handle: () => undefined }], {
    clock: Date.now,
    logger,
  })
}

describe('the server', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start()
    service.cluster.put(managed())
  })
  afterEach(() => service.stop())

  for (const [name, bytes, status] of [
    ['what is not HTTP', 'hello\r\n\r\n', 400],
    ['two lengths', `POST / ${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
    ['a length and chunks', `POST / ${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
    ['headers of more than 16 KiB', `GET / ${HEAD}A: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
  ] as const)
    it(`answers ${name} with ${status} in the envelope, and closes`, async () => {
      const answer = await sendRaw(service.server.url, bytes)
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as object
      expect(body).to.have.nested.property('error.details.request_id')
    })

  it('answers strange targets and an unknown expectation as any other', async () => {
    const evil = 'http://evil.test/api/v1/workloads?%'
    for (const target of [
      '//',
      '/api/v1/namespaces//deployments/web',
      '/%',
      '*',
      evil,
      '/api/v1/workloads?a[b]=c',
    ])
      for (const expectation of ['', 'Expect: tea\r\n']) {
        const bytes = `GET ${target} ${HEAD}${expectation}Connection: close\r\n\r\n`
        expect(await sendRaw(service.server.url, bytes), target).to.match(
          /^HTTP\/1\.1 401 [^]*UNAUTHENTICATED/,
        )
      }
  })

  it('answers 400, not 500, to a body that ends early', async () => {
    const { hostname, port } = new URL(service.server.url)
    const { promise: observed, resolve } = Promise.withResolvers<void>()
    service.onObserved = resolve
    const socket = connect(Number(port), hostname)
    const enable = 'POST /api/v1/namespaces/shop/deployments/web/enable'
    const json = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const request = `${enable} ${HEAD}Authorization: Bearer ${await token()}\r\n${json}`
    socket.write(request, () => socket.destroy())
    await observed
    expect(service.observed.map(({ code }) => code)).to.deep.equal([400])
    expect(service.log.filter(({ level }) => level === 'error')).to.deep.equal([])
  })

  it('checks for slow clients more often than the time they are given', async () => {
    let given: ServerOptions = {}
    const server = serverBy((options, handle) => {
      given = options
      return createServer(options, handle)
    })
    await server.start()
    await server.stop()
    const { connectionsCheckingInterval: interval = 30_000, headersTimeout = 0 } = given
    expect(interval).to.be.below(headersTimeout)
  })

  it('closes the connection of a broken request, although its client never does', async () => {
    const accepted = Promise.withResolvers<Socket>()
    const server = serverBy((options, handle) =>
      createServer(options, handle).once('connection', accepted.resolve),
    )
    await server.start()
    const { port } = new URL(server.url)
    const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    client.resume().write('hello\r\n\r\n')
    const socket = await accepted.promise
    if (!socket.closed) await once(socket, 'close')
    client.destroy()
    await server.stop()
  })

  it('stops: idle connections are closed, and new ones are refused; it can be stopped twice, and before its start', async () => {
    const { url } = service.server
    await service.call('GET shop/deployments/web')
    await service.stop()
    expect(await fetch(url).catch(() => 'refused')).to.equal('refused')
    await service.stop()
    await new Service().stop()
  })

  it('stops: requests in flight are finished', async () => {
    const goOn = service.cluster.hold()
    const answer = service.call('POST shop/deployments/web/pin')
    await eventually('the write', () => service.cluster.sent === 1)
    const stopped = service.stop()
    goOn()
    expect((await answer).body.data['pin_state']).to.equal('active')
    await stopped
  })

  it('stops: requests that had arrived unread are answered', async () => {
    const { hostname, port } = new URL(service.server.url)
    const kept = connect(Number(port), hostname)
    let received = ''
    kept.on('data', (chunk) => (received += chunk.toString()))
    kept.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    while (!received.endsWith('}')) await once(kept, 'data')
    received = ''
    // Node accepts them one by one.
    const begun = Array.from({ length: 40 }, () => connect(Number(port), hostname))
    await Promise.all(begun.map((socket) => once(socket, 'connect')))
    for (const socket of begun) socket.on('data', (chunk) => (received += chunk.toString()))
    const closed = [kept, ...begun].map((socket) => once(socket, 'close'))
    for (const socket of [kept, ...begun]) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await service.stop()
    await Promise.all(closed)
    expect(received.match(/HTTP\/1\.1 401 /g)).to.have.length(41)
    expect(received.match(/^Connection: close/gm)).to.have.length(41)
  })

  it('over TLS keeps idle connections longer than the API server does, and closes them when it stops', async () => {
    const certificate = await selfSigned()
    let listening: TlsServer | undefined
    const warnings: string[] = []
    const server = serverBy(
      (options) =>
        (listening = createTlsServer({ ...options, ...certificate }, (_, response) => response.end())),
      { logger: createLogger('warn', { write: (line) => warnings.push(line) }) },
    )
    await server.start()
    expect(listening?.keepAliveTimeout).to.be.above(90_000)
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
    const idle = Promise.withResolvers<void>()
    agent.once('free', () => idle.resolve())
    get(server.url, { agent }, (response) => response.resume().socket.once('close', () => agent.destroy()))
    await idle.promise
    await server.stop()
    expect(warnings, 'what had to be cut').to.deep.equal([])
  })

  describe('against silent connections', () => {
    const clients: Socket[] = []
    let listening: TlsServer
    const warnings: string[] = []
    let given: ServerOptions & TlsOptions = {}
    let server: HttpServer

    beforeEach(async () => {
      warnings.length = 0
      const certificate = await selfSigned()
      const logger = createLogger('warn', { write: (line) => warnings.push(line) })
      const take = (options: ServerOptions) => {
        given = options
        // Its own is 10 s; the effect is the same.
        return (listening = createTlsServer({ ...options, ...certificate, handshakeTimeout: 200 }))
      }
      server = serverBy(take, { logger })
      await server.start()
    })

    afterEach(async () => {
      for (const client of clients.splice(0)) client.destroy()
      await server.stop()
    })

    const silent = async (url: string) => {
      const { hostname, port } = new URL(url)
      const client = connect(Number(port), hostname).on('error', () => undefined)
      clients.push(client)
      await once(client, 'connect')
      return client
    }

    it('ends a TLS handshake that never comes, and leaves no socket behind', async () => {
      expect(given.handshakeTimeout).to.equal(10_000)
      const accepted = once(listening, 'connection') as Promise<[Socket]>
      await silent(server.url)
      const [socket] = await accepted
      // Node's own list of them is no proof: it forgets those that never spoke TLS.
      if (!socket.destroyed) await once(socket, 'close')
    })

    it('stops without waiting for them, over TLS or not', async () => {
      const closed = []
      for (const url of server.urls)
        for (let number = 0; number < 50; number++) closed.push(once(await silent(url), 'close'))
      await server.stop()
      await Promise.all(closed)
      expect(warnings, 'what had to be cut').to.deep.equal([])
    })
  })

  it('says which port is taken', async () => {
    const server = serverBy(createServer, { port: Number(new URL(service.server.url).port) })
    const told = await server.start().catch(({ message }: Error) => message)
    expect(told).to.include('EADDRINUSE')
  })
})
