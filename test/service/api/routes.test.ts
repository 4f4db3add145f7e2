import { expect } from 'chai'
import { plannedTransitions } from '../../../src/domain/records/plan.ts'
import { transitionRecord } from '../../../src/domain/records/record.ts'
import { KINDS } from '../../../src/domain/workload/workload.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { NOON, Service, token, type Answer } from './service.ts'
import { RULES } from '../../support/rules.ts'
import { managed } from './states.ts'

describe('routes of the API', () => {
  let service: Service
  beforeEach(async () => (service = await Service.start()))
  afterEach(() => service.stop())

  it('a blank schedule means no schedule, as on the workload itself', async () => {
    service.cluster.put(managed({}, { annotations: { schedule: '8:00-18:00' } }))
    const { body } = await service.call('PUT shop/deployments/web/schedule', { body: { schedule: ' ' } })
    expect(body.data['wake_schedule']).to.equal(null)
  })

  it('a workload that the informer does not know yet is read live', async () => {
    service.cluster.putUnlisted(managed({}, { name: 'fresh' }))
    expect((await service.call('GET shop/deployments/fresh')).body.data).to.deep.include({ name: 'fresh' })
  })

  it('a plan is of 48 hours by default, or of those asked for, also as if it had other hours', async () => {
    const planned = async (query: string) => {
      const { body } = await service.call(`GET shop/deployments/web/plan${query}`)
      return [body.message, body.data.map(({ at }) => at)]
    }
    service.cluster.put(aWorkload())
    expect(await planned('?schedule=8:00-13:00,Tue&timezone=UTC')).to.deep.equal([
      '1 transition in the next 48 hours',
      ['2026-03-03T13:00:00.000Z'],
    ])
    expect((await service.call('GET shop/deployments/web')).body.data).to.include({ enabled: false })
    service.cluster.put(managed({}, { annotations: { schedule: '8:00-18:00' } }))
    expect((await planned(''))[0]).to.equal('4 transitions in the next 48 hours')
    expect((await planned('?timezone=Europe/Berlin&hours=12'))[1]).to.deep.equal(['2026-03-03T17:00:00.000Z'])
  })

  /** All pages of a plan. */
  const pagesOf = async (plan: string, from = ''): Promise<Answer[]> => {
    const pages = [await service.call(`${plan}${from}`)]
    for (let next = pages[0]?.body.continue; next; next = pages.at(-1)?.body.continue)
      pages.push(await service.call(`${plan}&continue=${next}`))
    return pages
  }

  it('a plan has 200 transitions at most, and goes on behind them to the same end, whatever time passes', async () => {
    const windows = Array.from({ length: 32 }, (_, index) => {
      const [hour, minute] = [Math.floor(index / 2), (index % 2) * 30]
      return `${hour}:${minute || '00'}-${hour}:${minute + 15}`
    })
    const web = managed({}, { annotations: { schedule: windows.join(';') } })
    service.cluster.put(web)
    const plan = 'GET shop/deployments/web/plan?hours=744'
    const all = plannedTransitions(web, NOON, RULES, NOON + 744 * 3_600_000).map((step) =>
      transitionRecord(step),
    )
    const [first] = await pagesOf(plan)
    expect(first?.body.data).to.deep.equal(all.slice(0, 200))
    expect(first?.body.message).to.equal('200 transitions in the next 744 hours: send continue for more')
    service.now += 3_600_000
    const rest = await pagesOf(plan, `&continue=${first?.body.continue}`)
    expect(rest.flatMap<object>(({ body }) => body.data)).to.deep.equal(all.slice(200))
  })

  it('a plan goes on for its own workload and hours alone, and never past their end', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => `${hour}:00-${hour}:30`).join(';')
    for (const name of ['web', 'api'])
      service.cluster.put(managed({}, { name, annotations: { schedule: hours } }))
    const { body } = await service.call('GET shop/deployments/web/plan?hours=744')
    for (const other of ['api/plan?hours=744', 'web/plan?hours=743'])
      expect((await service.call(`GET shop/deployments/${other}&continue=${body.continue}`)).code).to.equal(
        'VALIDATION_ERROR',
      )
    const from = async (position: string) => {
      const content = JSON.parse(Buffer.from(body.continue ?? '', 'base64url').toString()) as object
      const token = Buffer.from(JSON.stringify({ ...content, position })).toString('base64url')
      return await service.call(`GET shop/deployments/web/plan?hours=744&continue=${token}`)
    }
    expect((await from('soon/later')).code).to.equal('VALIDATION_ERROR')
    const end = NOON + 744 * 3_600_000
    expect((await from(`${end}/${end * 1000}`)).body.data).to.deep.equal([])
  })

  it('a plan of thousands of decisions lets others have the event loop in between', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => `${hour}:00-${hour}:30`).join(';')
    service.cluster.put(managed({}, { annotations: { schedule: hours } }))
    let turns = 0
    let isDone = false
    const turn = () => {
      turns += 1
      if (!isDone) setImmediate(turn)
    }
    const plan = `GET shop/deployments/web/plan?hours=744`
    const pages = await pagesOf(plan)
    // The last one decides whatever comes before it, too.
    const latest = `${plan}&continue=${pages.at(-2)?.body.continue}`
    // Each hour wakes and sleeps it: without pauses it takes two turns.
    setImmediate(turn)
    expect((await service.call(latest)).body.data).to.deep.equal(pages.at(-1)?.body.data)
    isDone = true
    expect(turns).to.be.above(25)
  })

  it('workloads may have the names of actions', async () => {
    service.cluster.put(managed({}, { name: 'status' }))
    for (const path of ['status', 'status/status'])
      expect((await service.call(`GET shop/deployments/${path}`)).body.data).to.include({ name: 'status' })
  })

  it('GET /api/v1 says where everything is, in which cluster, and for whom, without what tells how they signed in', async () => {
    const named = await Service.start({ cluster: 'dev-eu' })
    try {
      const index = async (bearer?: null | string) =>
        (await named.call('GET /api/v1', { ...(bearer !== undefined && { token: bearer }) })).body
      expect((await index()).data).to.deep.equal({
        openapi: '/api/v1/openapi.json',
        workloads: '/api/v1/workloads',
        namespaces: '/api/v1/namespaces',
        workload: '/api/v1/namespaces/{namespace}/{kind}/{name}',
        kinds: [...KINDS],
        cluster: 'dev-eu',
        user: 'alice',
        may_change: true,
      })
      const strange = await token({ claims: { sub: `ann\u0007${'x'.repeat(200)}` } })
      expect((await index(strange)).data['user']).to.match(/^annx{100,}$/)
      expect((await index(null)).error.code).to.equal('UNAUTHENTICATED')
    } finally {
      await named.stop()
    }
  })

  it('each path has its methods: HEAD answers as GET, OPTIONS and 405 list them, and a word in the place of a kind is none', async () => {
    service.cluster.put(managed())
    for (const [request, expected, allow] of [
      ['HEAD shop/deployments/web', 200, null],
      ['OPTIONS shop/deployments/web', 204, 'GET, HEAD'],
      ['OPTIONS shop/override', 204, 'DELETE, POST'],
      ['PUT shop/deployments/web/pin', 405, 'DELETE, POST'],
      ['POST shop/deployments', 405, 'GET, HEAD'],
      ['GET shop/snooze', 405, 'POST'],
      ['PUT shop/wake', 405, 'POST'],
      ['GET shop/pin', 405, 'DELETE, POST'],
    ] as const) {
      const { status, headers } = await service.call(request)
      expect([request, status, headers.get('allow')]).to.deep.equal([request, expected, allow])
    }
    expect((await service.call('POST shop/hibernate')).body.error.message).to.include('there is no such kind')
  })

  it('answers forbid caching and sniffing', async () => {
    const { headers } = await service.call('GET shop/deployments/none')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('metrics get the template of the route, never text that a client wrote', async () => {
    service.cluster.put(managed())
    await service.call('GET shop/deployments/web')
    await service.call('PATCH shop/deployments/web/pin')
    await service.call('GET /x/y')
    await service.call('GET shop/deployments/web', { token: null })
    const workload = '/api/v1/namespaces/{namespace}/{kind}/{name}'
    expect(service.observed).to.deep.equal([
      { route: workload, method: 'GET', code: 200 },
      { route: `${workload}/pin`, method: 'PATCH', code: 405 },
      { route: 'unmatched', method: 'GET', code: 404 },
      { route: 'unmatched', method: 'GET', code: 401 },
    ])
  })
})
