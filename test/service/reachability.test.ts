import { expect } from 'chai'
import { waitForCluster } from '../../src/service/reachability.ts'
import type { HttpTransport } from '../../src/kubernetes/http.ts'
import { clientFor, FakeApiServer, transportTo } from '../kubernetes/fake-api-server.ts'

describe('whether a cluster can be reached', () => {
  let server: FakeApiServer
  let transport: HttpTransport

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    transport = transportTo(server.url)
  })

  afterEach(async () => {
    await transport.close()
    await server.stop()
  })

  const verdict = (stop = new AbortController().signal, patience?: number) =>
    waitForCluster(
      { client: clientFor(transport), credentials: { server: server.url, context: 'dev' } as never },
      { stop, ...(patience === undefined ? {} : { patience }) },
    ).then(
      () => 'reached',
      ({ message }: Error) => message,
    )

  it('is told by any answer, a refusal too', async () => {
    for (const status of [200, 403, 404, 429]) {
      server.handler = (_, response) => response.writeHead(status).end('{}')
      expect(await verdict(), String(status)).to.equal('reached')
    }
  })

  it('is asked again where the API server only starts', async () => {
    server.handler = (_, response) => response.writeHead(server.received.length < 3 ? 503 : 200).end('{}')
    expect(await verdict()).to.equal('reached')
    expect(server.received.map(({ path }) => path)).to.deep.equal(['/version', '/version', '/version'])
  })

  it('is denied with server, context and reason where nobody listens', async () => {
    const { host, origin } = server.url
    await server.stop()
    expect(await verdict()).to.equal(
      `the cluster at ${origin} (context dev) cannot be reached: connect ECONNREFUSED ${host}. Nothing was changed`,
    )
    await server.start()
  })

  it('is denied once patience ends, where a server takes the call and says nothing', async () => {
    server.handler = () => {}
    expect(await verdict(undefined, 300)).to.equal(
      `the cluster at ${server.url.origin} (context dev) cannot be reached: no answer within 0.3 s. Nothing was changed`,
    )
  })

  it('is no question of patience where the credentials are refused', async () => {
    server.handler = (_, response) => response.writeHead(401).end('{}')
    expect(await verdict()).to.equal(
      `the cluster at ${server.url.origin} (context dev) does not accept the credentials`,
    )
  })

  it('is not waited for by somebody who stops', async () => {
    server.handler = () => {}
    expect(await verdict(AbortSignal.timeout(50))).to.equal('stopped before anything was changed')
  })
})
