import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { connect, contextsOf } from '../../src/client/connect.ts'
import { runClient } from '../../src/cli/people/program.ts'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { oneAtATime } from '../../src/client/turns.ts'
import { systemClock } from '../../src/process/clock.ts'
import { httpServer } from '../support/http-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Milliseconds, in place of ten seconds. */
const PATIENCE = 1000
/** Milliseconds, in place of five seconds: longer than a plugin takes that does not hang. */
let turn = 5000

interface Listed {
  readonly cluster: string
  readonly name: string
  readonly policy: { readonly timezone: { readonly value: string } }
}

/** A cluster with the settings that Dormouse publishes, in this zone. */
async function cluster(timezone: string): Promise<SandboxCluster> {
  const sandbox = new SandboxCluster({ port: 0, clock: systemClock, seed: true })
  await sandbox.start()
  const path = '/api/v1/namespaces/kube-public/configmaps/dormouse'
  await fetch(`${sandbox.url}${path}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: JSON.stringify({ data: { version: '1.2.3', timezone, policies: '[]', calendars: '{}' } }),
  })
  return sandbox
}

describe('the client over the contexts of a kubeconfig', function () {
  this.timeout(20_000)
  const at = temporaryFolder()
  /** Accepts, and never answers. */
  const hanging = httpServer(() => undefined)
  const asked: (string | undefined)[] = []
  /** An empty cluster. */
  const answering = httpServer(({ headers, url = '' }, response) => {
    asked.push(headers.authorization)
    const isList = url.includes('limit=')
    response.writeHead(isList ? 200 : 404, { 'Content-Type': 'application/json' })
    const body = isList ? { metadata: {}, items: [] } : { kind: 'Status', code: 404, message: 'not found' }
    response.end(JSON.stringify(body))
  })
  let berlin: SandboxCluster
  let tokyo: SandboxCluster
  let gone: string

  before(async () => {
    ;[berlin, tokyo] = await Promise.all([cluster('Europe/Berlin'), cluster('Asia/Tokyo')])
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    gone = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.close()
    await once(server, 'close')
  })

  after(() => Promise.all([berlin?.stop(), tokyo?.stop()]))

  const kubeconfig = async (servers: Record<string, string>, user: object = {}) => {
    const names = Object.entries(servers)
    const config = {
      clusters: names.map(([name, server]) => ({ name, cluster: { server } })),
      users: [{ name: 'ann', user }],
      contexts: names.map(([name]) => ({ name, context: { cluster: name, user: 'ann', namespace: 'shop' } })),
    }
    await writeFile(at('kubeconfig'), JSON.stringify(config))
  }

  const typed = async (...line: string[]) => {
    const written = { out: '', err: '' }
    const environment = { KUBECONFIG: at('kubeconfig'), PATH: process.env['PATH'] }
    const stderr = { write: (text: string) => (written.err += text) }
    const stopSignal = new AbortController().signal
    const outside = { clock: systemClock, environment, stderr, stopSignal, inTurn: oneAtATime(turn) }
    const code = await runClient(line, '1.2.3', {
      ...outside,
      stdout: { write: (text) => (written.out += text) },
      ask: undefined,
      program: 'kubectl dormouse',
      openPage: async () => async () => {},
      contexts: (connection) => contextsOf(connection, outside),
      connect: ({ patience, ...connection }) =>
        connect({ ...connection, patience: patience && PATIENCE }, outside),
      openCluster: async () => {
        throw new Error('not here')
      },
    })
    return { code, ...written }
  }

  it('reads those that answer, each by its own settings, and says which do not', async () => {
    const again = `${berlin.url}/`
    const servers = {
      'dev-1': berlin.url,
      'dev-2': tokyo.url,
      'dev-3': hanging.url,
      'dev-4': gone,
      'dev-5': again,
    }
    await kubeconfig(servers)
    const { code, out, err } = await typed('list', '--contexts', 'dev-*', '-o', 'json')
    expect(code).to.equal(0)
    const { items } = JSON.parse(out) as { items: Listed[] }
    const zones = new Set(items.map((item) => `${item.cluster}: ${item.policy.timezone.value}`))
    expect([...zones]).to.deep.equal(['dev-1: Europe/Berlin', 'dev-2: Asia/Tokyo'])
    const [twin, ...lost] = err.trimEnd().split('\n')
    expect(twin).to.equal('note: left out, since another leads to the same cluster: dev-5 (as dev-1)')
    expect(lost).to.have.length(2)
    expect(lost[0]).to.match(/^dev-3: does not answer: took too long; /)
    expect(lost[1]).to.match(/^dev-4: does not answer: cannot be reached \(connect ECONNREFUSED .*\); /)
  })

  it('asks those that share a server and not the user whether they are one cluster, or several behind a proxy', async () => {
    // As Teleport does: one address, and the credentials choose the cluster.
    const proxied: Record<string, string> = { 'Bearer a': berlin.url, 'Bearer b': berlin.url, 'Bearer c': tokyo.url } // prettier-ignore
    const forward = async ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
      const server = proxied[headers.authorization ?? '']
      if (server === undefined) return void response.writeHead(403).end('{}')
      const answer = await fetch(`${server}${url}`)
      response.writeHead(answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' })
      response.end(await answer.text())
    }
    const proxy = createServer((request, response) => void forward(request, response)).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    try {
      const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      const users = { ann: 'a', 'ann-admin': 'b', tokyo: 'c', unknown: 'd', unread: 'e' }
      const config = {
        clusters: [{ name: 'proxy', cluster: { server } }],
        users: Object.entries(users).map(([name, token]) => ({ name, user: { token } })),
        contexts: Object.keys(users).map((name) => ({
          name,
          context: { cluster: 'proxy', user: name, namespace: 'shop' },
        })),
      }
      await writeFile(at('kubeconfig'), JSON.stringify(config))
      const { code, out, err } = await typed('list', '--contexts', '*', '-o', 'json')
      expect(code).to.equal(0)
      const { items } = JSON.parse(out) as { items: Listed[] }
      const zones = new Set(items.map((item) => `${item.cluster}: ${item.policy.timezone.value}`))
      expect([...zones]).to.deep.equal(['ann: Europe/Berlin', 'tokyo: Asia/Tokyo'])
      const [twin, ...lost] = err.trimEnd().split('\n')
      expect(twin).to.equal('note: left out, since another leads to the same cluster: ann-admin (as ann)')
      const [unknown, unread] = lost
      expect(unknown).to.match(/^unknown: /)
      expect(unread).to.match(/^unread: /)
    } finally {
      proxy.closeAllConnections()
      proxy.close()
    }
  })

  it('says how a cluster is found by its own name, where --context is given no context', async () => {
    await kubeconfig({ 'dev-1': gone })
    expect((await typed('list', '--context', 'dev-eu')).err).to.equal(
      'error: kubeconfig: there is no context dev-eu; known contexts: dev-1; ' +
        'if a cluster is called so, list -A -o wide --contexts dev-eu shows its context\n',
    )
    await writeFile(at('kubeconfig'), '{}')
    expect((await typed('list', '--context', 'dev-eu')).err).to.not.include('--contexts')
  })

  it('fails where none answers', async () => {
    await kubeconfig({ 'dev-3': hanging.url, 'dev-4': gone })
    const { code, out, err } = await typed('list', '--contexts', '*')
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err.match(/^dev-\d: does not answer: /gm)).to.have.length(2)
  })

  it('refuses why of a name that two clusters have; the commands that it names answer', async () => {
    await kubeconfig({ 'dev-1': berlin.url, 'dev-2': tokyo.url })
    const { code, err } = await typed('why', 'web', '--contexts', 'dev-1,dev-2')
    expect(code).to.equal(2)
    const commands = err.match(/^ {2}kubectl dormouse .*$/gm) ?? []
    expect(commands).to.have.length(2)
    for (const command of commands) {
      const { out } = await typed(...command.trim().split(' ').slice(2))
      expect(out).to.include('deployment shop/web')
    }
  })

  it('runs credential plugins one at a time, and tells those of whom one fails', async () => {
    // It fails beside another, and leaves its name; that of dev-2 always fails.
    const script = `mkdir ${at('lock')} || { echo beside another >&2; exit 1; }
      sleep 0.1; rmdir ${at('lock')}
      case $KUBERNETES_EXEC_INFO in *${new URL(gone).port}*) echo signed out >&2; exit 1;; esac
      echo run >> ${at('runs')}
      echo '{"kind":"ExecCredential","status":{"token":"t"}}'`
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', script] }
    const servers = { 'dev-1': answering.url, 'dev-2': gone, 'dev-3': `${answering.url}/3` }
    await kubeconfig(servers, { exec: { ...exec, interactiveMode: 'Never', provideClusterInfo: true } })
    const { code, err } = await typed('list', '--contexts', '*')
    expect(code).to.equal(0)
    expect(err.match(/^dev-\d: .*exec plugin.*$/gm)).to.deep.equal([
      'dev-2: the exec plugin sh ended with 1: signed out',
    ])
    expect(await readFile(at('runs'), 'utf8')).to.equal('run\nrun\n')
    expect(new Set(asked)).to.deep.equal(new Set(['Bearer t']))
  })

  it('waits for no plugin that hangs: those behind it have their turn, and it becomes a line', async () => {
    turn = 100
    // By its cluster's name: dev-1 comes first, and never ends.
    const script = `case $KUBERNETES_EXEC_INFO in */hangs*) echo visit https://login >&2; sleep 1000;; esac
      echo '{"kind":"ExecCredential","status":{"token":"t"}}'`
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', script] }
    const servers = {
      'dev-1': `${answering.url}/hangs`,
      'dev-2': `${answering.url}/2`,
      'dev-3': `${answering.url}/3`,
    }
    await kubeconfig(servers, { exec: { ...exec, interactiveMode: 'Never', provideClusterInfo: true } })
    asked.length = 0
    const { code, err } = await typed('list', '--contexts', '*')
    expect(code).to.equal(0)
    expect(err.match(/^dev-\d: (?!you may not|Dormouse may).*$/gm)).to.deep.equal([
      'dev-1: the exec plugin sh did not end within 2 s and was killed: visit https://login',
    ])
    expect(asked).to.include('Bearer t')
  })
})
