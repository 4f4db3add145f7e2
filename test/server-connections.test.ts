import { once } from 'node:events'
import { Agent as HttpAgent, createServer, get as httpGet, type Server } from 'node:http'
import { Agent, createServer as createTlsServer, get, type Server as TlsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { LIMITS, ServerConnections } from '../src/server-connections.ts'
import { selfSigned } from './support/certificate.ts'

const MOST = 10

for (const scheme of ['http', 'https'] as const) {
  describe(`the connections of a server over ${scheme}`, () => {
    const clients: Socket[] = []
    let server: Server | TlsServer
    let connections: ServerConnections
    let agent: HttpAgent
    /** What a request waits for. */
    let gate: Promise<void>

    beforeEach(async () => {
      gate = Promise.resolve()
      const handle = (_: unknown, response: { end: (text: string) => void }) =>
        void gate.then(() => response.end('here'))
      server =
        scheme === 'http'
          ? createServer(LIMITS, handle)
          : createTlsServer({ ...LIMITS, ...(await selfSigned()) }, handle)
      connections = new ServerConnections(server, MOST)
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
    const silent = async () => {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
      clients.push(client)
      await once(client, 'connect')
      return client
    }
    const ask = () =>
      new Promise<Socket>((resolve, reject) => {
        const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
        const request = (scheme === 'http' ? httpGet : get)(url, { agent }, (response) => {
          const { socket } = response
          response.resume().once('end', () => resolve(socket))
        })
        request.once('error', reject)
      })
    const count = () =>
      new Promise<number>((resolve) => server.getConnections((_, number) => resolve(number)))

    it('are limited: the oldest without a request is closed first, and requests are answered', async () => {
      const first = await ask()
      const oldest = await silent()
      const closed = once(oldest, 'close')
      for (let number = 0; number < 3 * MOST; number++) await silent()
      await closed
      expect(await count()).to.be.at.most(MOST)
      expect(first.destroyed).to.equal(false)
      // A kept connection serves on, and a new one, too.
      expect(await ask()).to.equal(first)
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

    it('are all closed by destroyAll', async () => {
      const idle = await ask()
      const closed = [once(idle, 'close'), once(await silent(), 'close')]
      connections.destroyAll()
      await Promise.all(closed)
      expect(await count()).to.equal(0)
    })
  })
}
