import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { KNOCK_ANSWER, KNOCK_PATH } from '../../../src/domain/traffic/knock.ts'
import { compile } from '../../../src/domain/validation.ts'
import { aUser } from '../../support/fake-cluster.ts'
import { managed, pinned } from './states.ts'
import { AUTH, Service, token } from './service.ts'

const WAKER = 'system:serviceaccount:dormouse:dormouse-waker'
const TOKEN = 'that-of-the-wakers'
const body = { namespace: 'shop', service: 'web', port: 'http', workloads: ['deployments/web'], wake: true }
const asleep = { asleep: true, snoozed: { replicas: 3, at: 0, trigger: 'schedule', by: null } } as const
const opted = { replicas: 0, annotations: { wakeOnTraffic: 'page' } } as const

describe('the knock of a waker', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.both, waker: `k8s:${WAKER}` })
    service.cluster.users.set(TOKEN, aUser(WAKER))
    service.cluster.users.set('anas', aUser('ana'))
    service.cluster.allows = () => false
    service.cluster.put(managed(asleep, opted))
  })
  afterEach(() => service.stop())

  // It is no part of the document, by which `Service.call` checks answers.
  const knock = async (changed: object = {}, bearer = TOKEN, signal?: AbortSignal) => {
    const response = await fetch(`${service.server.url}${KNOCK_PATH}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...body, ...changed }),
      signal: signal ?? null,
    })
    const answer = (await response.json()) as { error?: { code: string } }
    return { status: response.status, code: answer.error?.code, body: answer }
  }
  const replicas = () =>
    service.cluster.get({ kind: 'deployments', namespace: 'shop', name: 'web' })?.replicas

  it('wakes what opted in, though it has no other right', async () => {
    const { status, body } = await knock()
    expect(status).to.equal(200)
    expect(compile(KNOCK_ANSWER)(body)).to.equal(true)
    expect(body).to.deep.include({ state: 'waking', woken: true, late: false })
    expect(replicas()).to.equal(3)
    expect((await knock()).body).to.deep.include({ state: 'waking', woken: false })
    const { status: other } = await service.call('POST shop/deployments/web/wake', { token: TOKEN })
    expect(other).to.equal(403)
  })

  it('only looks without wake', async () => {
    expect((await knock({ wake: false })).body).to.deep.include({ state: 'asleep', woken: false })
    expect(replicas()).to.equal(0)
  })

  it('does not wake what is pinned', async () => {
    service.cluster.put(managed({ ...asleep, ...pinned }, opted))
    expect((await knock()).body).to.deep.include({ state: 'held', woken: false })
    expect(replicas()).to.equal(0)
  })

  it('leaves a state that can be read, however long the names of the Service and its port are', async () => {
    const [service, port] = ['s', 'p'].map((letter) => letter.repeat(63))
    expect((await knock({ service, port })).body).to.deep.include({ state: 'waking', woken: true })
    expect((await knock({ service, port })).body).to.deep.include({ state: 'waking', woken: false })
  })

  for (const [what, changed] of [
    ['a Service whose name is too long', { service: 's'.repeat(64) }],
    ['a Service that no cluster can have', { service: 'web by\nana' }],
    ['a kind that there is not', { workloads: ['pods/web'] }],
    ['a workload without a name', { workloads: ['deployments'] }],
    ['a workload with more than a name', { workloads: ['deployments/web/scale'] }],
    ['no workloads', { workloads: undefined }],
    ['more workloads than it may', { workloads: Array<string>(65).fill('deployments/web') }],
    ['another key', { force: true }],
  ] as const)
    it(`refuses ${what}`, async () => {
      expect(await knock(changed)).to.include({ status: 400, code: 'VALIDATION_ERROR' })
      expect(replicas()).to.equal(0)
    })

  it('is no fault where the waker is gone before its answer', async () => {
    for (const reason of ['a pause', 'a request']) {
      const gone = new AbortController()
      const told = new Promise<void>((resolve) => (service.onObserved = resolve))
      service.cluster.write = async (_key, _plan, { signal }) => {
        gone.abort()
        if (reason === 'a pause') await sleep(60_000, undefined, { signal })
        await once(signal!, 'abort')
        throw signal!.reason
      }
      await knock({}, TOKEN, gone.signal).catch(() => {})
      await told
      expect(service.observed.at(-1), reason).to.include({ code: 499 })
      expect(service.log.filter(({ msg }) => msg === 'request failed')).to.deep.equal([])
    }
  })

  it('is for wakers alone', async () => {
    expect(await knock({}, 'anas')).to.include({ status: 403, code: 'FORBIDDEN' })
    expect(await knock({}, await token({ claims: { sub: WAKER } }))).to.include({ status: 403 })
    expect(await knock({}, 'nobodys')).to.include({ status: 401 })
    expect(await knock({ namespace: 'kube-system' })).to.include({ status: 403 })
    expect(replicas()).to.equal(0)
  })

  it('is answered nobody where there are no wakers', async () => {
    const none = await Service.start({ auth: AUTH.both })
    none.cluster.users.set(TOKEN, aUser(WAKER))
    try {
      expect(await none.call('POST /api/v1/knock', { token: TOKEN, body })).to.include({ status: 403 })
    } finally {
      await none.stop()
    }
  })
})
