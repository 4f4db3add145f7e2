import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { connect as connectTo, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { connect } from '../../src/client/connect.ts'
import type { Connection } from '../../src/client/ports.ts'
import { proxiesFor } from '../../src/client/proxies.ts'
import { failureOf } from '../support/failure-of.ts'
import { selfSigned, type Certificate } from '../support/certificate.ts'
import { folderOfSuite } from '../support/temporary-folder.ts'

const HOST = 'cluster.invalid'

describe("the client and the environment's proxies", function () {
  this.timeout(180_000)
  let certificate: Certificate
  let server: TlsServer
  let proxy: Server
  const at = folderOfSuite()
  let asked: string[]
  const portOf = (of: Server | TlsServer) => (of.address() as AddressInfo).port

  before(async () => {
    certificate = await selfSigned('server', HOST)
    await writeFile(at('ca.crt'), certificate.cert)
    server = createTlsServer(certificate, (_, response) =>
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code: 'NOT_FOUND', message: 'seen', details: {} } })),
    )
    proxy = createServer((_, response) => response.writeHead(500).end())
    proxy.on('connect', ({ url, headers }, socket) => {
      asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`)
      const behind = connectTo(portOf(server), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        behind.pipe(socket).pipe(behind)
      })
      for (const each of [socket, behind]) each.on('error', () => undefined)
    })
    for (const each of [server, proxy])
      await new Promise<void>((resolve) => void each.listen(0, '127.0.0.1', resolve))
  })

  beforeEach(() => (asked = []))

  after(async () => {
    for (const each of [server, proxy]) {
      each.closeAllConnections()
      each.close()
    }
  })

  async function failure(connection: Connection, environment: Record<string, string>): Promise<string> {
    const outside = {
      clock: () => 0,
      environment: { DORMOUSE_TOKEN: 'secret', HOME: at('.'), ...environment },
      stderr: { write: () => true },
      stopSignal: new AbortController().signal,
    }
    const dormouse = await connect(connection, outside)
    const read = dormouse.get({ kind: 'deployments', namespace: 'shop', name: 'web' })
    return (
      await failureOf(
        read.finally(() => void dormouse.close()),
        Error,
      )
    ).message
  }

  const viaServer = () => ({ server: `https://${HOST}`, certificateAuthority: at('ca.crt') })
  async function viaCluster() {
    const kubeconfig = at('kubeconfig')
    const cluster = {
      server: `https://${HOST}:6443`,
      'certificate-authority-data': Buffer.from(certificate.cert).toString('base64'),
    }
    const config = {
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }
    await writeFile(kubeconfig, JSON.stringify(config))
    return { kubeconfig }
  }

  for (const [name, connection, port] of [
    ['over HTTP', async () => viaServer(), 443],
    ['through the cluster', viaCluster, 6443],
  ] as const)
    describe(name, () => {
      it('are gone through, with their password', async () => {
        const environment = { https_proxy: `http://ann:pw@127.0.0.1:${portOf(proxy)}` }
        expect(await failure(await connection(), environment)).to.match(/seen|404/)
        expect(asked[0]).to.equal(`${HOST}:${port} Basic ${Buffer.from('ann:pw').toString('base64')}`)
      })

      it('are left out for what NO_PROXY names', async () => {
        const environment = { HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NO_PROXY: '.invalid' }
        expect(await failure(await connection(), environment)).to.match(
          /cannot be reached|not be reached|ENOTFOUND|EAI_AGAIN/,
        )
        expect(asked).to.deep.equal([])
      })
    })

  it('are none on loopback, nor where no variable names one', () => {
    const environment = { HTTPS_PROXY: 'http://proxy.example', NO_PROXY: 'a' }
    for (const url of ['https://localhost:6443', 'https://127.0.0.1', 'http://[::1]:80'])
      expect(proxiesFor(new URL(url), environment)).to.equal(undefined)
    expect(proxiesFor(new URL('https://a.example'), { NO_PROXY: 'a', HTTPS_PROXY: '' })).to.equal(undefined)
    const HTTPS_PROXY = environment.HTTPS_PROXY
    expect(proxiesFor(new URL('https://a.example'), environment)).to.deep.equal({ HTTPS_PROXY })
  })

  it('are HTTP where they name no scheme', () => {
    const environment = { HTTPS_PROXY: 'proxy.example:3128', HTTP_PROXY: 'https://proxy.example' }
    expect(proxiesFor(new URL('https://a.example'), environment)).to.deep.equal({
      HTTPS_PROXY: 'http://proxy.example:3128',
      HTTP_PROXY: 'https://proxy.example',
    })
  })

  for (const [list, exempt, others] of [
    ['*', ['https://a.example'], []],
    ['x, A.example', ['https://a.example', 'https://b.a.example:6443'], ['https://ba.example']],
    ['.a.example', ['https://b.a.example'], ['https://a.example']],
    ['*.a.example', ['https://b.a.example'], ['https://a.example']],
    ['a.example:6443', ['https://a.example:6443'], ['https://a.example']],
    ['a.example:443', ['https://a.example'], ['https://a.example:6443']],
    ['10.0.0.0/8', ['https://10.1.2.3:6443'], ['https://11.0.0.1', 'https://a.example']],
    ['10.1.2.3,[fd00::1]:443', ['https://10.1.2.3', 'https://[fd00::1]'], ['https://[fd00::1]:6443']],
    ['fd00:0::/16', ['https://[fd00::1]'], ['https://[fe80::1]']],
    [',.,10.0.0.0/99,[', [], ['https://a.example', 'https://10.0.0.1']],
  ] as const)
    it(`NO_PROXY names servers as for kubectl: ${list}`, () => {
      const isDirect = (url: string) =>
        proxiesFor(new URL(url), { HTTPS_PROXY: 'http://proxy.example', NO_PROXY: list }) === undefined
      expect(exempt.map(isDirect)).to.deep.equal(exempt.map(() => true))
      expect(others.map(isDirect)).to.deep.equal(others.map(() => false))
    })
})
