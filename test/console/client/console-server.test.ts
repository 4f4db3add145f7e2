import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import type { Answer, Found, Seen, Selection } from '../../../src/client/ports.ts'
import { ClusterApi } from '../../../src/console/client/page-api.ts'
import { NamespaceSummary } from '../../../src/domain/records/namespace-record.ts'
import type { Request } from '../../../src/domain/requests/operations.ts'
import type { WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { rawHttp } from '../raw.ts'
import { signedIn } from './signed-in.ts'
import { RULES } from '../../support/rules.ts'
import { EventStream } from '../../support/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { aRecord, anAsleepRecord, FakeDormouse, typed, type Outcome } from '../../client/fake-dormouse.ts'

const SHOP = new NamespaceSummary('shop', Date.parse('2026-03-02T12:00:00Z'), RULES).record()

/** Workloads that wake on request, but for `db`, which is pinned; and whoever watches is told of changes. */
class LiveDormouse extends FakeDormouse {
  override workloads: readonly Found[] = [
    aRecord('web'),
    anAsleepRecord('cart'),
    aRecord('db', {}, 'statefulsets'),
  ]
  override readonly namespaceRecords = [SHOP]
  #tell: (seen: Seen) => void = () => undefined

  override async list(selection: Selection) {
    if (this.refuses) throw this.refuses
    return super.list(selection)
  }

  override async request(key: WorkloadKey, request: Request, dryRun: boolean): Promise<Answer> {
    const { after } = await super.request(key, request, dryRun)
    const { kind, record } = await after()
    if (key.name === 'db') throw new Refusal('PINNED', 'it is pinned')
    const woken = { kind, record: { ...record, is_snoozed: false } }
    return { messages: ['woken', 'until 18:00'], after: async () => woken }
  }

  tell(seen: Seen): void {
    this.#tell(seen)
  }

  override async *watch(selection: Selection, signal: AbortSignal): AsyncGenerator<Seen> {
    yield* super.watch(selection, signal)
    while (!signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<Seen | undefined>()
      this.#tell = resolve
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
      const seen = await promise
      if (seen) yield seen
    }
  }
}

describe('the console over a kubeconfig', () => {
  let dormouse: LiveDormouse
  let here: Awaited<ReturnType<typeof signedIn>>

  beforeEach(async () => {
    dormouse = new LiveDormouse()
    here = await signedIn(new ClusterApi(dormouse, undefined))
  })
  afterEach(() => here.server.stop())
  const call: typeof here.call = (...given) => here.call(...given)

  it('serves the page on loopback, under its own address alone', async () => {
    expect(here.link.hostname).to.equal('127.0.0.1')
    const page = await rawHttp(here.origin, '/console')
    expect(page)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.include("Content-Security-Policy: default-src 'none'")
    for (const path of ['/console', '/api/v1', '/'])
      expect(await rawHttp(here.origin, path, 'rebound.example'), path).to.match(/^HTTP\/1\.1 421 /)
  })

  it('signs in by the secret once, and says how to get another', async () => {
    expect(here.token).to.match(/^[\w-]{43}$/)
    const again = await here.exchange()
    expect(again.status).to.equal(403)
    expect(await again.text()).to.include('end kubectl dormouse console and start it again')
  })

  it('has 64 connections at most: others of the machine take none from the person', async () => {
    const silent = Array.from({ length: 100 }, () => connect(Number(here.link.port), '127.0.0.1'))
    await Promise.all(
      silent.map((socket) =>
        once(
          socket.on('error', () => undefined),
          'connect',
        ),
      ),
    )
    expect((await call('GET', '')).status).to.equal(200)
    await eventually('the rest to be closed', () => silent.filter(({ closed }) => !closed).length <= 64, {
      timeout: 5000,
    })
    for (const socket of silent) socket.destroy()
  })

  it('answers nobody without the token', async () => {
    for (const bearer of ['', 'x', `${here.token}x`, here.link.hash.replace('#secret=', '')]) {
      const { status, body } = await call('GET', '', undefined, bearer)
      expect([status, body.error.code]).to.deep.equal([401, 'UNAUTHENTICATED'])
    }
    expect((await call('POST', '/namespaces/shop/deployments/web/wake', undefined, 'x')).status).to.equal(401)
    expect(dormouse.asked).to.deep.equal([])
  })

  it('has what the page asks for, and no other paths', async () => {
    const kinds = await dormouse.kinds()
    expect((await call('GET', '')).body.data).to.deep.equal({ kinds, cluster: 'dev', user: 'ann' })
    expect((await call('GET', '/namespaces')).body.data[0]).to.deep.equal(SHOP)
    const plan = await call('GET', '/namespaces/shop/deployments/web/plan?hours=168')
    expect(plan.body.data[0].type).to.equal('snooze')
    for (const [method, path] of [
      ['GET', '/workloads'],
      ['GET', '/audit'],
      ['POST', '/namespaces/shop/pods/web/wake'],
      ['GET', '/namespaces/shop/deployments/web/wake'],
      ['PUT', '/namespaces/shop/deployments/web/enable'],
      ['POST', '/namespaces/shop/enable'],
      ['POST', '/namespaces/..%2f..%2f/deployments/web/wake'],
      ['POST', '/namespaces/shop/deployments/web%2f..%2fcart/wake'],
    ] as const)
      expect((await call(method, path)).status, path).to.equal(404)
    expect((await fetch(`${here.origin}/workloads`)).status).to.equal(404)
    expect((await fetch(`${here.origin}/`)).url).to.equal(`${here.origin}/console`)
    expect(dormouse.asked).to.deep.equal([])
  })

  it('asks for what a button means, and answers as the API does', async () => {
    const path = '/namespaces/shop/deployments/cart'
    const { status, body } = await call('POST', `${path}/wake?for=4h`)
    expect(status).to.equal(200)
    expect(body).to.include({ success: true, message: 'woken; until 18:00' })
    expect(body.data).to.include({ name: 'cart', is_snoozed: false })
    for (const [method, action] of [
      ['POST', 'snooze?for=90m'],
      ['POST', 'override'],
      ['DELETE', 'override'],
      ['POST', 'pin'],
      ['DELETE', 'pin'],
      ['POST', 'enable'],
      ['POST', 'disable'],
    ] as const)
      expect((await call(method, `${path}/${action}`)).status, action).to.equal(200)
    const hours = '{"schedule":"8:00-18:00","timezone":"Asia/Tokyo"}'
    expect((await call('POST', `${path}/enable`, hours)).status).to.equal(200)
    expect((await call('PUT', `${path}/schedule`, hours)).status).to.equal(200)
    for (const body of ['{', '{"schedule":7}', '{"enabled":true}', '"x"', ' '.repeat(20_000)])
      expect((await call('PUT', `${path}/schedule`, body)).status, body.slice(0, 20)).to.equal(400)
    expect(dormouse.asked.map(({ request }) => request)).to.deep.equal([
      { action: 'wake', for: 14_400_000 },
      { action: 'snooze', for: 5_400_000 },
      { action: 'override' },
      { action: 'clearOverride' },
      { action: 'pin' },
      { action: 'unpin' },
      { action: 'enable' },
      { action: 'disable' },
      { action: 'enable', schedule: '8:00-18:00', timezone: 'Asia/Tokyo' },
      { action: 'schedule', schedule: '8:00-18:00', timezone: 'Asia/Tokyo' },
    ])
    expect((await call('POST', `${path}/wake?for=4`)).body.error.code).to.equal('VALIDATION_ERROR')
  })

  it('says refusals as the API does; a cluster that does not know the person is no sign-in of the page', async () => {
    const pinned = await call('POST', '/namespaces/shop/statefulsets/db/wake')
    expect([pinned.status, pinned.body.error.code]).to.deep.equal([409, 'PINNED'])
    dormouse.refuses = new Refusal('UNAUTHENTICATED', 'cluster dev does not know you: log in again')
    const unknown = await call('POST', '/namespaces/shop/deployments/web/wake')
    expect([unknown.status, unknown.body.error.message]).to.deep.equal([
      502,
      'cluster dev does not know you: log in again',
    ])
    dormouse.refuses = new Error('no such host')
    expect((await call('POST', '/namespaces/shop/deployments/web/wake')).status).to.equal(503)
  })

  it('asks for all of a namespace, one by one, and counts', async () => {
    const { body } = await call('POST', '/namespaces/shop/wake?for=4h&dryRun=true')
    expect(body.data.counts).to.deep.equal({ done: 1, unchanged: 1, left_out: 0, refused: 1 })
    expect(body.message).to.include('nothing was changed: 1 would change, 1 would not, 1 would be refused')
    expect(dormouse.asked.every(({ dryRun }) => dryRun)).to.equal(true)
    const some = await call('POST', '/namespaces/shop/wake?kind=statefulsets&labelSelector=a%3Db')
    expect(some.body.data.items).to.deep.equal([
      {
        kind: 'statefulsets',
        name: 'db',
        result: 'refused',
        code: 'PINNED',
        message: 'it is pinned',
        operation_in_progress: false,
      },
    ])
    const wrong = await call('POST', '/namespaces/shop/wake?labelSelector=a%3Db%3Dc')
    expect(wrong.body.error.code).to.equal('VALIDATION_ERROR')
    dormouse.workloads = Array.from({ length: 501 }, (_, index) => aRecord(`web-${index}`))
    expect((await call('POST', '/namespaces/shop/wake')).body.error.code).to.equal('TOO_MANY_WORKLOADS')
  })

  it('streams the list as it is, then each change, and ends with the server', async () => {
    const stream = await EventStream.open(`${here.origin}/api/v1/workloads?watch=true`, here.token)
    await stream.until('listed')
    expect(stream.told).to.deep.equal(['added shop/web', 'added shop/cart', 'added shop/db', 'listed'])
    await eventuallyTold(stream, dormouse, { ...aRecord('cart'), gone: false }, 'changed shop/cart')
    await eventuallyTold(stream, dormouse, { ...aRecord('new'), gone: false }, 'added shop/new')
    await eventuallyTold(stream, dormouse, { ...aRecord('new'), gone: true }, 'removed shop/new')
    expect(stream.events.at(-1)?.data).to.deep.equal({ name: 'new', namespace: 'shop', type: 'deployment' })
    await here.server.stop()
    await stream.close()
  })

  it('says in the stream why there is no list', async () => {
    dormouse.refuses = new Refusal('FORBIDDEN', 'you may not list deployments')
    const stream = await EventStream.open(`${here.origin}/api/v1/workloads?watch=true`, here.token)
    const { data } = await stream.until('end')
    expect(data).to.deep.equal({ code: 'FORBIDDEN', message: 'you may not list deployments' })
    await stream.close()
  })
})

describe('the command console', () => {
  const workloads = [aRecord('web')]
  const stopAtOnce = (_text: string, stop: AbortController) => stop.abort()

  it('prints the link alone, opens it, and ends with 0 when it is stopped', async () => {
    const { code, out, err, opened, forgotten } = await typed(['console'], {
      workloads,
      onOutput: stopAtOnce,
    })
    expect(code).to.equal(0)
    expect(out).to.match(/^http:\/\/127\.0\.0\.1:\d+\/console#secret=[\w-]{43}\n$/)
    expect(opened).to.deep.equal([out.trim()])
    expect(forgotten, 'at its end nothing is left of the link').to.deep.equal(opened)
    expect(err).to.include('Ctrl-C')
    const quiet = await typed(['console', '--no-open'], { workloads, onOutput: stopAtOnce })
    expect(quiet).to.deep.include({ code: 0, opened: [] })
  })

  it('says what is wrong with a port', async () => {
    for (const port of ['x', '70000', '-1'])
      expect((await typed(['console', `--port=${port}`])).code).to.equal(2)
    const second = Promise.withResolvers<Outcome>()
    await typed(['console', '--no-open'], {
      workloads,
      onOutput(text, stop) {
        const { port } = new URL(text)
        second.resolve(typed(['console', '--no-open', '--port', port], { workloads }))
        void second.promise.then(() => stop.abort())
      },
    })
    const taken = await second.promise
    expect(taken.code).to.equal(2)
    expect(taken.err).to.include('EADDRINUSE')
  })
})

/** Tells the watch until it has been heard: it may not listen yet. */
async function eventuallyTold(
  stream: EventStream,
  dormouse: LiveDormouse,
  seen: Seen,
  told: string,
): Promise<void> {
  const [event = ''] = told.split(' ')
  const timer = setInterval(() => dormouse.tell(seen), 20)
  try {
    await stream.until(event, ({ name }) => name === seen.record.name)
  } finally {
    clearInterval(timer)
  }
  expect(stream.told).to.include(told)
}
