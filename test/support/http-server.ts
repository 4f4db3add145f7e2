import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on loopback during the suite that this is called in. */
export function httpServer(listener?: RequestListener) {
  const server = createServer(listener)
  before('a server listens', async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    server,
    /** `http://127.0.0.1:<port>`, known once it listens. */
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
  }
}
