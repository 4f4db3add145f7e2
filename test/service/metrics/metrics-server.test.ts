import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createLogger } from '../../../src/process/logger.ts'
import { MetricsServer, type Readiness } from '../../../src/service/metrics/metrics-server.ts'
import { sendRaw } from '../../support/raw-http.ts'

describe('the metrics server', () => {
  let server: MetricsServer
  let readiness: Readiness
  let exposition: () => Promise<string>

  const ask = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init)

  beforeEach(async () => {
    readiness = { ready: true, reasons: [] }
    exposition = async () => 'dormouse_leader 1\n'
    server = new MetricsServer({
      host: '127.0.0.1',
      port: 0,
      metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', exposition: () => exposition() },
      ready: () => readiness,
      logger: createLogger('silent'),
    })
    await server.start()
  })
  afterEach(() => server.stop())

  it('answers /metrics in the text format', async () => {
    const answer = await ask('/metrics?x=1')
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.text()).to.equal('dormouse_leader 1\n')
  })

  it('computes the metrics once for all who ask meanwhile, and anew for the next', async () => {
    let computed = 0
    exposition = async () => {
      computed += 1
      await nextTurn()
      return `computed ${computed}\n`
    }
    const request = (more: string) => `GET /metrics HTTP/1.1\r\nHost: a\r\n${more}\r\n`
    const two = request('') + request('Connection: close\r\n')
    const answers = await sendRaw(server.url, two)
    expect(answers.match(/computed \d/g)).to.deep.equal(Array(2).fill('computed 1'))
    expect(await (await ask('/metrics')).text()).to.equal('computed 2\n')
  })

  it('answers /healthz while the process lives, ready or not', async () => {
    readiness = { ready: false, reasons: ['starting'] }
    expect((await ask('/healthz')).status).to.equal(200)
  })

  for (const [when, ready, reasons, status, text] of [
    ['that it is ready', true, [], 200, 'ready\n'],
    [
      'what is still missing',
      false,
      ['not synced', 'unreachable'],
      503,
      'not ready:\n- not synced\n- unreachable\n',
    ],
    ['what is missing although it serves', true, ['not watched'], 200, 'ready, but:\n- not watched\n'],
  ] as const)
    it(`answers /readyz with ${when}`, async () => {
      readiness = { ready, reasons }
      const answer = await ask('/readyz')
      expect([answer.status, await answer.text()]).to.deep.equal([status, text])
    })

  it('answers HEAD without a body, other methods with 405 and other paths with 404', async () => {
    const head = await ask('/metrics', { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    const post = await ask('/metrics', { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    expect((await ask('/')).status).to.equal(404)
    expect((await ask('/metrics/')).status).to.equal(404)
  })

  it('answers 500 without internal details when the metrics cannot be computed', async () => {
    exposition = async () => {
      throw new Error('secret')
    }
    const answer = await ask('/metrics')
    expect(answer.status).to.equal(500)
    expect(await answer.text()).not.to.contain('secret')
  })

  it('stops while a client keeps its connection open, and can be stopped twice', async () => {
    await (await ask('/healthz')).text()
    await server.stop()
    await server.stop()
    expect(() => server.url).to.throw(TypeError)
  })

  it('holds 32 connections at most: the oldest that never asked makes room', async () => {
    const clients = Array.from({ length: 33 }, () => connect(Number(new URL(server.url).port), '127.0.0.1'))
    const closed = clients.map((client) => once(client, 'close').then(() => clients.indexOf(client)))
    expect(await Promise.race(closed)).to.be.below(33)
    expect((await ask('/healthz')).status).to.equal(200)
    for (const client of clients) client.destroy()
  })
})
