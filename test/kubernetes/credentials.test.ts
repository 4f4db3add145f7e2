import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createTlsServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { Credentials } from '../../src/kubernetes/credentials.ts'
import { HttpTransport } from '../../src/kubernetes/http.ts'
import { selfSigned, type Certificate } from '../support/certificate.ts'
import { FakeApiServer, answer, clientFor, failure, silentLogger } from './fake-api-server.ts'
import { WEB, deployment } from './objects.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('credentials', () => {
  let server: FakeApiServer
  let transport: HttpTransport | undefined
  let now: number

  const at = temporaryFolder()

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    server.handler = (_, response) => answer(response, 200, deployment('web'))
    now = 0
  })

  afterEach(async () => {
    await transport?.close()
    transport = undefined
    await server.stop()
  })

  async function kubeconfig(user: object, cluster: object = { server: server.url.origin }): Promise<string> {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'one',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace: 'sleep' } }],
    }
    await writeFile(at('config'), stringify(config))
    return at('config')
  }

  function load(file: string): Credentials {
    return new Credentials({ source: { file }, logger: silentLogger, now: () => now })
  }

  async function call(credentials: Credentials): Promise<string | undefined> {
    transport ??= new HttpTransport(credentials)
    // Loading an auth provider may take a slow machine long.
    await clientFor(transport, undefined, 60_000).get(WEB)
    return server.received.at(-1)?.headers.authorization
  }

  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  /** A command that none of these runs. */
  const exec = { command: '/none' }
  for (const [what, user, authorization] of [
    ['are a bearer token of the kubeconfig, over plain HTTP too', { token: 'one' }, 'Bearer one'],
    ['are empty for a user without credentials', {}, undefined],
    ['are a user name and password', { username: 'alice', password: 'pässword' }, basic('alice:pässword')],
    [
      'come from an auth provider',
      { 'auth-provider': { name: 'gcp', config: { 'access-token': 'of-the-provider' } } },
      'Bearer of-the-provider',
    ],
    [
      'come from no exec plugin where the user has a token file, as with kubectl',
      { exec, tokenFile: 'token' },
      'Bearer of-the-file',
    ],
    [
      'come from no exec plugin where the user has a name, either',
      { exec, username: 'alice' },
      basic('alice:'),
    ],
  ] as const)
    it(what, async () => {
      await writeFile(at('token'), 'of-the-file')
      const credentials = load(await kubeconfig(user))
      expect(await call(credentials)).to.equal(authorization)
      expect(credentials.namespace).to.equal('sleep')
    })

  it('follow a token file, relative to the kubeconfig, before the old token is refused', async () => {
    await writeFile(at('token'), 'first\n')
    const credentials = load(await kubeconfig({ tokenFile: 'token' }))
    expect(await call(credentials)).to.equal('Bearer first')
    await writeFile(at('token'), 'second')
    now = 6000
    expect(await call(credentials)).to.equal('Bearer second')
    expect(server.received).to.have.length(2)
  })

  it('are what the token file says rather than the token, as long as it can be read', async () => {
    await writeFile(at('token'), 'of-the-file\r\n')
    const credentials = load(await kubeconfig({ token: 'one', tokenFile: 'token' }))
    expect(await call(credentials)).to.equal('Bearer of-the-file')
    await rm(at('token'))
    now = 6000
    expect(await call(credentials)).to.equal('Bearer one')
  })

  it('impersonate a user, with uid, groups and extra fields', async () => {
    const extra = { scopes: ['view', 'list'], 'example.org/team': ['a'] }
    const user = { as: 'alice', 'as-uid': '7', 'as-groups': ['ops', 'dev'], 'as-user-extra': extra }
    let sent: NodeJS.Dict<string[]> = {}
    server.handler = (_, response) => {
      sent = response.req.headersDistinct
      answer(response, 200, deployment('web'))
    }
    await call(load(await kubeconfig({ token: 'one', ...user })))
    expect(sent).to.deep.include({
      'impersonate-user': ['alice'],
      'impersonate-uid': ['7'],
      'impersonate-group': ['ops', 'dev'],
      'impersonate-extra-scopes': ['view', 'list'],
      'impersonate-extra-example.org%2fteam': ['a'],
    })
  })

  /** A plugin that runs this, and prints a credential of this status, as JavaScript. */
  const plugin = (status: string, script = '') => ({
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: [
      '-e',
      `const fs = require('node:fs')
      ${script}
      const print = () => console.log(JSON.stringify({ kind: 'ExecCredential', status: ${status} }))
      ${script.includes('print()') ? '' : 'print()'}`,
    ],
  })

  it('come from an exec plugin, which is run again when its token has expired', async () => {
    const exec = plugin(
      `{ token: 'token-' + runs, expirationTimestamp: new Date(Date.now() + (runs > 1 ? 60000 : -1)).toISOString() }`,
      `let runs = 0
      try { runs = Number(fs.readFileSync(process.env.COUNTER)) } catch {}
      fs.writeFileSync(process.env.COUNTER, String(++runs))`,
    )
    const env = [{ name: 'COUNTER', value: at('counter') }]
    const credentials = load(await kubeconfig({ exec: { ...exec, env } }))
    transport = new HttpTransport(credentials)
    await Promise.all([call(credentials), call(credentials), call(credentials)])
    expect(await readFile(at('counter'), 'utf8'), 'calls at once share a run').to.equal('1')
    now = 6000
    expect(await call(credentials)).to.equal('Bearer token-2')
    now = 12_000
    expect(await call(credentials)).to.equal('Bearer token-2')
  })

  it('of an exec plugin may end in a newline', async () => {
    const exec = plugin(String.raw`{ token: 'of-the-plugin\n' }`)
    expect(await call(load(await kubeconfig({ exec })))).to.equal('Bearer of-the-plugin')
  })

  it("that cannot be loaded are CLUSTER_UNAVAILABLE, without the plugin's output, and are loaded again at the next call", async () => {
    const exec = { command: process.execPath, args: ['-e', 'console.error("secret"); process.exit(1)'] }
    const credentials = load(await kubeconfig({ exec }))
    const failed = await call(credentials).catch((error: Error) => error)
    expect(failed).to.include({ code: 'CLUSTER_UNAVAILABLE', noAnswer: 'credentials' })
    expect((failed as Error).message).not.to.contain('secret')
    expect(server.received).to.have.length(0)
  })

  it('that do not come in time are CLUSTER_UNAVAILABLE for all who wait, and the plugin still runs once', async () => {
    const exec = plugin(
      `{ token: 'late' }`,
      `fs.appendFileSync(${JSON.stringify(at('runs'))}, 'run ')
      const wait = () => (fs.existsSync(${JSON.stringify(at('go'))}) ? print() : setTimeout(wait, 5))
      setTimeout(wait, 0)`,
    )
    const source = { file: await kubeconfig({ exec }) }
    const credentials = new Credentials({ source, logger: silentLogger, now: () => now, patience: 20 })
    const failed = await Promise.all([1, 2].map(() => call(credentials).catch((error: Error) => error)))
    for (const error of failed)
      expect(error).to.include({ code: 'CLUSTER_UNAVAILABLE', noAnswer: 'credentials' })
    await writeFile(at('go'), '')
    const patient = async (): Promise<unknown> =>
      (await call(credentials).catch(() => undefined)) ?? patient()
    expect(await patient()).to.equal('Bearer late')
    expect(await readFile(at('runs'), 'utf8')).to.equal('run ')
  })

  it('are loaded again after a 401, but not at every one', async () => {
    const file = await kubeconfig({ token: 'old' })
    const credentials = load(file)
    server.handler = ({ headers }, response) => {
      const good = headers.authorization === 'Bearer new'
      answer(
        response,
        good ? 200 : 401,
        good ? deployment('web') : failure(401, 'Unauthorized', 'Unauthorized'),
      )
    }
    now = 6000
    const refused = await call(credentials).catch((error: Error) => error)
    expect(refused).to.include({ code: 'CLUSTER_REJECTED', status: 401 })
    await kubeconfig({ token: 'new' })
    await call(credentials).catch(() => {})
    expect(server.received.at(-1)?.headers.authorization, 'too soon').to.equal('Bearer old')
    now = 12_000
    expect(await call(credentials)).to.equal('Bearer new')
  })

  it('outlive a kubeconfig that is being rewritten', async () => {
    const file = await kubeconfig({ token: 'old' })
    const credentials = load(file)
    await writeFile(file, 'clusters: [')
    now = 6000
    credentials.renew()
    expect(await call(credentials)).to.equal('Bearer old')
  })

  it('go through the proxy of the cluster', async () => {
    const cluster = { server: 'http://cluster.invalid', 'proxy-url': server.url.origin }
    expect(await call(load(await kubeconfig({ token: 'one' }, cluster)))).to.equal('Bearer one')
    expect(server.received[0]?.headers.host).to.equal('cluster.invalid')
  })

  describe('of TLS', () => {
    let serving: Certificate
    let tlsServer: Server
    let clients: (string | undefined)[]

    async function serve(...trusted: string[]): Promise<string> {
      const options = { ...serving, ca: trusted, requestCert: true, rejectUnauthorized: true }
      tlsServer = createTlsServer(options, (request, response) => {
        clients.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString())
        answer(response, 200, deployment('web'))
      })
      await new Promise<void>((resolve) => tlsServer.listen(0, '127.0.0.1', resolve))
      return `https://127.0.0.1:${(tlsServer.address() as AddressInfo).port}`
    }

    beforeEach(async () => {
      serving = await selfSigned('serving')
      clients = []
    })

    afterEach(async () => {
      tlsServer.closeAllConnections()
      await new Promise((resolve) => tlsServer.close(resolve))
    })

    const base64 = (text: string) => Buffer.from(text).toString('base64')

    it('are a CA and a client certificate; one that rotates is used for the next call', async () => {
      const [first, second] = [await selfSigned('first'), await selfSigned('second')]
      const origin = await serve(first.cert, second.cert)
      const write = async ({ cert, key }: typeof first) => {
        await writeFile(at('client.crt'), cert)
        await writeFile(at('client.key'), key)
      }
      await write(first)
      const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' }
      const cluster = { server: origin, 'certificate-authority-data': base64(serving.cert) }
      const credentials = load(await kubeconfig(user, cluster))
      await call(credentials)
      await write(second)
      now = 6000
      await call(credentials)
      expect(clients).to.deep.equal(['first', 'second'])
    })

    /** A server of this certificate, and a user whom it trusts. */
    async function trusting(certificate: Certificate) {
      serving = certificate
      const client = await selfSigned('client')
      const user = { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) }
      return {
        user,
        server: await serve(client.cert),
        ca: { 'certificate-authority-data': base64(serving.cert) },
      }
    }

    it('are what stands in the kubeconfig rather than in the files beside it', async () => {
      const { user, server, ca } = await trusting(serving)
      const files = { 'client-certificate': 'none.crt', 'client-key': 'none.key', exec }
      const cluster = { server, 'certificate-authority': 'none.crt', ...ca }
      await call(load(await kubeconfig({ ...user, ...files }, cluster)))
      expect(clients).to.deep.equal(['client'])
    })

    it('are of the name that the server is said to have', async () => {
      const { user, server, ca } = await trusting(await selfSigned('serving', 'api.internal'))
      const cluster = { server, ...ca }
      const failed = await call(load(await kubeconfig(user, cluster))).catch((error: Error) => error)
      expect(failed).to.include({ code: 'CLUSTER_UNAVAILABLE' })
      await transport?.close()
      transport = undefined
      await call(load(await kubeconfig(user, { ...cluster, 'tls-server-name': 'api.internal' })))
      expect(clients).to.deep.equal(['client'])
    })

    it('are not asked for with insecure-skip-tls-verify', async () => {
      const { user, server } = await trusting(serving)
      await call(load(await kubeconfig(user, { server, 'insecure-skip-tls-verify': true })))
      expect(clients).to.deep.equal(['client'])
    })

    it('do not accept a server of another CA', async () => {
      const origin = await serve()
      const cluster = {
        server: origin,
        'certificate-authority-data': base64((await selfSigned('other')).cert),
      }
      const failed = await call(load(await kubeconfig({}, cluster))).catch((error: Error) => error)
      expect(failed).to.include({ code: 'CLUSTER_UNAVAILABLE', noAnswer: 'unreachable' })
      expect(clients).to.deep.equal([])
    })
  })
})
