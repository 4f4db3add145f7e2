import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'chai'
import { NodeTransport } from '../../src/client/cluster/node-transport.ts'
import { ApiCalls } from '../../src/kubernetes/api-calls.ts'
import { ClusterRefusal, CredentialsError } from '../../src/kubernetes/failures.ts'
import { failureOf } from '../support/failure-of.ts'
import { httpServer } from '../support/http-server.ts'

const observer = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }

describe("the client's own transport", function () {
  this.timeout(180_000)
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const server = httpServer((request, response) => answer(request, response))
  let transport: NodeTransport
  let renewals: number

  beforeEach(() => {
    renewals = 0
    transport = open(`${server.url}/base/`)
  })

  afterEach(() => transport.close())

  function open(
    url: string,
    current = async () => ({ headers: { authorization: 'Bearer x' }, tls: {}, tlsId: '' }),
  ) {
    return new NodeTransport({ server: new URL(url), current, renew: () => void (renewals += 1) })
  }

  const get = { method: 'GET', path: '/api?limit=1', headers: { accept: 'application/json' } } as const

  /** How a call fails for those who made it. */
  async function failure(of: NodeTransport, timeout = 10_000): Promise<ClusterRefusal> {
    const calls = new ApiCalls({ transport: of, observer, timeout })
    return failureOf(
      calls.answer({ method: 'PATCH', verb: 'patch', resource: 'deployments', path: '/api', body: {} }),
      ClusterRefusal,
    )
  }

  it('sends the call below the path of the server, with the credentials, and reads the whole answer', async () => {
    let seen = ''
    answer = (request, response) => {
      seen = `${request.method} ${request.url} ${request.headers.authorization}`
      response.writeHead(201, { warning: '299 - "x"' })
      response.write('{"a":')
      setTimeout(() => response.end('"ü"}'), 20)
    }
    const { status, text, headers } = await transport.send(get, 10_000)
    expect([seen, status, text, headers['warning']]).to.deep.equal([
      'GET /base/api?limit=1 Bearer x',
      201,
      '{"a":"ü"}',
      '299 - "x"',
    ])
  })

  it('takes a 401 as the answer of a server whose credentials nothing renews', async () => {
    let calls = 0
    answer = (_, response) => {
      calls += 1
      response.writeHead(401).end()
    }
    const known = { headers: {}, tls: {}, tlsId: '' }
    const other = new NodeTransport({ server: new URL(server.url), current: async () => known })
    expect((await other.send(get, 10_000)).status).to.equal(401)
    await other.close()
    expect(calls).to.equal(1)
  })

  it('calls, however many streams are open: two tabs of the console follow a dozen kinds', async () => {
    answer = ({ url = '' }, response) => {
      response.writeHead(200).write('begun')
      if (!url.includes('watch')) response.end()
    }
    const watch = { ...get, path: '/api?watch=true' }
    await Promise.all(Array.from({ length: 20 }, () => transport.open(watch, 60_000)))
    expect((await transport.send(get, 5000)).text).to.equal('begun')
  })

  it('lets a call wait for a socket longer than for a connection: many calls of a slow server', async () => {
    answer = (_, response) => void setTimeout(() => response.end('ok'), 6000)
    const calls = Array.from({ length: 11 }, () => transport.send(get, 60_000))
    const answers = await Promise.all(calls)
    expect(answers.map(({ text }) => text)).to.deep.equal(Array(11).fill('ok'))
  })

  it('loads the credentials again after a 401, and calls once more', async () => {
    let calls = 0
    answer = (_, response) => response.writeHead((calls += 1) === 1 ? 401 : 200).end('ok')
    expect((await transport.send(get, 10_000)).status).to.equal(200)
    expect([calls, renewals]).to.deep.equal([2, 1])
  })

  it('tells apart who does not answer, who is too slow, and who hangs up', async () => {
    answer = (request) => request.socket.destroy()
    expect((await failure(transport)).noAnswer).to.equal('cut')
    answer = () => {}
    expect((await failure(transport, 200)).noAnswer).to.equal('timeout')
    expect((await failure(open('http://127.0.0.1:9'))).noAnswer).to.equal('unreachable')
    const without = open('http://127.0.0.1:9', async () => {
      throw new Error('no plugin')
    })
    expect((await failure(without)).noAnswer).to.equal('credentials')
    await failureOf(without.send(get, 1000), CredentialsError)
  })

  const ends = { 'has ended': 'end', 'goes on': 'write' } as const
  for (const [what, how] of Object.entries(ends))
    for (const chunks of [0, 1])
      it(`lets go of an answer that ${what} once ${chunks} of it were read: nothing fails beside`, async () => {
        answer = (_, response) => void response.writeHead(200)[how]('a page')
        const beside: unknown[] = []
        const crash = (error: unknown) => void beside.push(error)
        const others = process.listeners('uncaughtException')
        process.removeAllListeners('uncaughtException').on('uncaughtException', crash)
        try {
          const stop = new AbortController()
          const { body } = await transport.open({ ...get, signal: stop.signal }, 60_000)
          const reading = body[Symbol.asyncIterator]()
          for (let read = 0; read < chunks; read++) expect((await reading.next()).done).to.equal(false)
          stop.abort(new Error('enough'))
          await new Promise((resolve) => setTimeout(resolve, 50))
          if (how === 'write')
            expect(await reading.next().catch((error: unknown) => error)).to.have.property(
              'message',
              'enough',
            )
        } finally {
          process.removeAllListeners('uncaughtException')
          for (const other of others) process.on('uncaughtException', other)
        }
        expect(beside).to.deep.equal([])
        answer = (_, response) => response.writeHead(200).end('ok')
        expect((await transport.send(get, 10_000)).text).to.equal('ok')
      })

  it('ends a call that nobody has answered with the reason of its signal', async () => {
    const stop = new AbortController()
    answer = () => stop.abort(new Error('enough'))
    const { message } = await failureOf(transport.open({ ...get, signal: stop.signal }, 60_000), Error)
    expect(message).to.equal('enough')
  })

  it('gives a stream up that has fallen silent, or never begins, and ends it when it is closed', async () => {
    const read = async (silence: number) => {
      const { body } = await transport.open(get, silence)
      for await (const chunk of body) expect(String(chunk)).to.equal('begun')
    }
    const begins = (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(200).write('begun')
    for (const each of [() => undefined, begins]) {
      answer = each
      expect(await failureOf(read(200), Error)).to.have.property('code', 'UND_ERR_BODY_TIMEOUT')
    }
    const closed = failureOf(read(60_000), Error)
    setTimeout(() => void transport.close(), 100)
    await closed
  })
})
