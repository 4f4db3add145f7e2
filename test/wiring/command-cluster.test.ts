import { expect } from 'chai'
import { waitForCluster } from '../../src/wiring/command-cluster.ts'
import { FakeApiServer } from '../kubernetes/fake-api-server.ts'

describe('waiting for the cluster', () => {
  let server: FakeApiServer

  beforeEach(async () => (server = await new FakeApiServer().start()))
  afterEach(() => server.close())

  const outcome = (stop = new AbortController().signal, patience?: number) =>
    waitForCluster(
      { client: server.client, credentials: { server: server.url, context: 'dev' } as never },
      { stop, ...(patience === undefined ? {} : { patience }) },
    ).then(
      () => 'reached',
      ({ message }: Error) => message,
    )

  it('ends at any answer, even a refusal', async () => {
    for (const status of [200, 403, 404, 429]) {
      server.handler = (_, response) => response.writeHead(status).end('{}')
      expect(await outcome(), String(status)).to.equal('reached')
    }
  })

  it('asks again while the API server is starting', async () => {
    server.handler = (_, response) => response.writeHead(server.received.length < 3 ? 503 : 200).end('{}')
    expect(await outcome()).to.equal('reached')
    expect(server.received.map(({ path }) => path)).to.deep.equal(['/version', '/version', '/version'])
  })

  it('fails with server, context and reason where nothing listens', async () => {
    const { host, origin } = server.url
    await server.stop()
    expect(await outcome()).to.equal(
      `the cluster at ${origin} (context dev) cannot be reached: connect ECONNREFUSED ${host}. Nothing was changed`,
    )
    await server.start()
  })

  it('fails after its time where a server accepts the call and never answers', async () => {
    server.handler = () => {}
    expect(await outcome(undefined, 300)).to.equal(
      `the cluster at ${server.url.origin} (context dev) cannot be reached: no answer within 0.3 s. Nothing was changed`,
    )
  })

  it('fails at once where the credentials are refused', async () => {
    server.handler = (_, response) => response.writeHead(401).end('{}')
    expect(await outcome()).to.equal(
      `the cluster at ${server.url.origin} (context dev) does not accept the credentials`,
    )
  })

  it('ends at once when it is stopped', async () => {
    server.handler = () => {}
    expect(await outcome(AbortSignal.timeout(50))).to.equal('stopped before anything was changed')
  })
})
