import { once } from 'node:events'
import { Agent as HttpAgent, createServer, get as httpGet, type Server, type ServerResponse } from 'node:http'
import { Agent, createServer as createTlsServer, get, type Server as TlsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { LIMITS, ServerConnections } from '../../src/http/server-connections.ts'
import { selfSigned } from '../support/certificate.ts'

const MOST = 10
const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n'
/** Bytes: more than the system keeps for a client that does not read. */
const LARGE = 16_000_000

for (const scheme of ['http', 'https'] as const) {
  describe(`the connections of a server over ${scheme}`, () => {
    const clients: Socket[] = []
    let server: Server | TlsServer
    let connections: ServerConnections
    let agent: HttpAgent
    /** Requests wait for it. */
    let gate: Promise<void>
    let handled: ServerResponse[]
    let answer: string | Buffer

    beforeEach(async () => {
      gate = Promise.resolve()
      handled = []
      answer = 'here'
      connections = new ServerConnections(MOST)
      const handle = connections.guard((_, response) => {
        handled.push(response)
        void gate.then(() => response.end(answer))
      })
      server = connections.watch<Server | TlsServer>(
        scheme === 'http'
          ? createServer(LIMITS, handle)
          : createTlsServer({ ...LIMITS, ...(await selfSigned()) }, handle),
      )
      await once(server.listen(0, '127.0.0.1'), 'listening')
      agent = anAgent()
    })

    afterEach(async () => {
      for (const client of clients.splice(0)) client.destroy()
      agent.destroy()
      connections.destroyAll()
      server.close()
      await once(server, 'close')
    })

    const anAgent = () =>
      scheme === 'http'
        ? new HttpAgent({ keepAlive: true })
        : new Agent({ keepAlive: true, rejectUnauthorized: false })
    const port = () => (server.address() as AddressInfo).port
    const silent = async () => {
      const client = connect({ port: port(), host: '127.0.0.1' }).on('error', () => undefined)
      clients.push(client)
      await once(client, 'connect')
      return client
    }
    /** Sends this as it is, and reads nothing. */
    const unread = async (text: string) => {
      const to = { port: port(), host: '127.0.0.1', rejectUnauthorized: false }
      const client = (scheme === 'http' ? connect(to) : connectTls(to)).on('error', () => undefined)
      clients.push(client)
      await once(client, scheme === 'http' ? 'connect' : 'secureConnect')
      client.pause()
      client.write(text)
      return client
    }
    const ask = () =>
      new Promise<Socket>((resolve, reject) => {
        const url = `${scheme}://127.0.0.1:${port()}`
        const request = (scheme === 'http' ? httpGet : get)(url, { agent }, (response) => {
          const { socket } = response
          response.resume().once('end', () => resolve(socket))
        })
        request.once('error', reject)
      })
    const count = () =>
      new Promise<number>((resolve) => server.getConnections((_, number) => resolve(number)))

    it('are limited: the one that was idle for longest is closed first, and requests are answered', async () => {
      const oldest = await silent()
      const kept = await ask()
      const closed = once(oldest, 'close')
      for (let number = 0; number < MOST - 1; number++) await silent()
      await closed
      // A kept connection serves on, and its answer makes it the youngest.
      expect(await ask()).to.equal(kept)
      for (let number = 0; number < MOST - 2; number++) await silent()
      expect(await ask()).to.equal(kept)
      for (let number = 0; number < 3 * MOST; number++) await silent()
      expect(await count()).to.be.at.most(MOST)
      agent.destroy()
      agent = anAgent()
      await ask()
    })

    it('are not closed while a request is in flight', async () => {
      let open = () => {}
      gate = new Promise((resolve) => (open = resolve))
      const reached = once(server, 'request')
      const answer = ask()
      await reached
      for (let number = 0; number < 3 * MOST; number++) await silent()
      connections.destroySilent()
      open()
      await answer
    })

    for (const [what, text, long] of [
      ['whose requests do not arrive', `${HEAD}Content-Length: 9\r\n\r\n`, 'here'],
      ['whose answers are not read', `${HEAD}\r\n`, Buffer.alloc(LARGE)],
    ] as const)
      it(`${what} make room for others`, async () => {
        // bodies are read by nobody: the answer waits for them
        if (long === 'here') gate = new Promise(() => {})
        answer = long
        for (let number = 0; number < MOST; number++) {
          const begun = once(server, 'request')
          await unread(text)
          await begun
        }
        expect(await count()).to.equal(MOST)
        gate = Promise.resolve()
        answer = 'here'
        for (let number = 0; number < 3; number++) {
          await ask()
          agent.destroy()
          agent = anAgent()
        }
        expect(await count()).to.be.at.most(MOST)
      })

    it('are closed when an answer is not read for a while, but not when it takes a while', async () => {
      expect(server.timeout).to.equal(10_000)
      server.timeout = 100
      let open = () => {}
      gate = new Promise((resolve) => (open = resolve))
      const awaited = ask()
      await once(server, 'timeout')
      open()
      await awaited
      answer = Buffer.alloc(LARGE)
      const accepted = once(server, scheme === 'http' ? 'connection' : 'secureConnection') as Promise<
        [Socket]
      >
      await unread(`${HEAD}\r\n`)
      const [socket] = await accepted
      await once(socket, 'close')
    })

    it('have two requests in flight at most: one more closes it, and each answer is told', async () => {
      gate = new Promise(() => {})
      await unread(`${HEAD}\r\n`.repeat(2))
      while (handled.length < 2) await once(server, 'request')
      const closed = handled.map((response) => once(response, 'close'))
      clients.at(-1)?.write(`${HEAD}\r\n`.repeat(100))
      await Promise.all(closed)
      expect(handled).to.have.length(2)
    })

    it('are all closed by destroyAll', async () => {
      const idle = await ask()
      const closed = [once(idle, 'close'), once(await silent(), 'close')]
      connections.destroyAll()
      await Promise.all(closed)
      expect(await count()).to.equal(0)
    })
  })
}
