import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { FakeApiServer, until } from '../kubernetes/fake-api-server.ts'
import { FaultProxy } from './fault-proxy.ts'
import { refusal } from './faults.ts'
import { targetOf } from './kubeconfig.ts'

const WEB = '/apis/apps/v1/namespaces/shop/deployments/web'
const WATCH = '/apis/apps/v1/deployments?watch=true'

describe('the fault proxy', () => {
  const server = new FakeApiServer()
  const agent = new Agent()
  let directory: string
  let proxy: FaultProxy
  let url: string
  let watch: ServerResponse

  before(async () => {
    await server.start()
    server.handler = ({ method, query }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      if (!query.has('watch')) return void response.end(JSON.stringify({ method }))
      response.flushHeaders()
      watch = response
    }
    directory = await mkdtemp(join(tmpdir(), 'dormouse-fault-proxy-'))
    const kubeconfig = join(directory, 'kubeconfig')
    const cluster = { server: server.url.origin }
    await writeFile(kubeconfig, JSON.stringify({ clusters: [{ name: 'fake', cluster }], users: [] }))
    proxy = await FaultProxy.before(kubeconfig)
    ;({ url } = targetOf(await readFile(proxy.kubeconfig, 'utf8')))
  })

  afterEach(() => {
    proxy.lift()
    server.received.length = 0
  })

  after(async () => {
    await agent.destroy()
    await proxy.stop()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const call = async (method: 'GET' | 'PATCH', path = WEB) => {
    const { statusCode, body } = await request(`${url}${path}`, { method, dispatcher: agent })
    return `${statusCode} ${await body.text()}`
  }
  const attempt = (method: 'GET' | 'PATCH') => call(method).catch(() => 'cut')
  const carriedOut = () => server.received.map(({ method }) => method)

  it('passes calls and answers on, and names the calls', async () => {
    expect(await call('GET')).to.equal('200 {"method":"GET"}')
    expect(proxy.calls.at(-1)).to.deep.equal({
      verb: 'get',
      writes: false,
      resource: 'deployments',
      namespace: 'shop',
      name: 'web',
      url: WEB,
    })
  })

  it('strikes the call that was named, at the turn that was named', async () => {
    const laid = proxy.onCall({ verb: 'patch', name: 'web', nth: 2 }, refusal(409))
    const answers = []
    for (const method of ['PATCH', 'GET', 'PATCH', 'PATCH'] as const) answers.push(await attempt(method))
    expect(answers.map((text) => text.slice(0, 3))).to.deep.equal(['200', '200', '409', '200'])
    await laid.struck
    expect(laid.hits).to.equal(1)
  })

  it('cuts before a call is carried out, after it, and in the middle of its answer', async () => {
    for (const stage of ['before', 'after', 'within'] as const) {
      proxy.onCall({ verb: 'patch' }, { type: 'cut', stage })
      expect(await attempt('PATCH'), stage).to.equal('cut')
    }
    expect(carriedOut()).to.deep.equal(['PATCH', 'PATCH'])
  })

  it('calls a hook before a call is carried out, and after it', async () => {
    const told: string[][] = []
    for (const stage of ['before', 'after'] as const)
      proxy.onCall({}, { type: 'hook', stage, run: async () => void told.push(carriedOut()) })
    expect(await attempt('GET')).to.match(/^200/)
    expect(told).to.deep.equal([[], ['GET']])
  })

  /** The events 1, 2 and 3 of one watch that come through until it ends. */
  async function eventsThrough(): Promise<string> {
    const { body } = await request(`${url}${WATCH}`, { dispatcher: agent })
    for (const name of ['1', '2', '3'])
      watch.write(`${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`)
    watch.end()
    let text = ''
    try {
      for await (const chunk of body) text += String(chunk)
    } catch {
      text += 'cut'
    }
    return text.replaceAll(/\{"type":"ADDED","object":\{"metadata":\{"name":"(.)"\}\}\}\n/g, '$1 ')
  }

  for (const [type, through] of [
    ['lose', '1 3 '],
    ['repeat', '1 2 2 3 '],
    ['swap', '1 3 2 '],
    ['cut', '1 cut'],
    ['half', '1 {"type":"ADDED","object":cut'],
  ] as const) {
    it(`${type}: of the events 1 2 3 comes '${through}'`, async () => {
      proxy.onEvent({ resource: 'deployments', name: '2' }, { type })
      expect(await eventsThrough()).to.equal(through)
    })
  }

  it('holds a frozen watch back with its end, and lets a line of the test’s own pass', async () => {
    const thaw = proxy.freeze('deployments')
    const through = eventsThrough()
    await until(() => proxy.watches('deployments')[0]?.held === 3)
    proxy.watches('deployments')[0]?.say('mine')
    thaw()
    expect(await through).to.equal('mine\n1 2 3 ')
  })
})
