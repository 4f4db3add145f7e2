import { expect } from 'chai'
import { aUser, aWorkload } from '../../support/fake-cluster.ts'
import { AUTH, Service } from './service.ts'

describe('a list of everything, for callers who may not see everything', () => {
  let service: Service

  beforeEach(async () => {
    service = await Service.start({ auth: AUTH.cluster })
    service.cluster.users.set('alices', aUser('alice'))
    service.cluster.users.set('bobs', aUser('bob'))
  })
  afterEach(() => service.stop())

  const list = (query = '', token = 'alices') => service.call(`GET /api/v1/workloads${query}`, { token })
  const allow = (...namespaces: string[]) => {
    service.cluster.allows = (_user, { namespace }) => namespaces.includes(namespace ?? '')
  }
  const put = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const namespace = `team-${String(index).padStart(3, '0')}`
      service.cluster.put(aWorkload({ namespace, labels: { tier: index % 2 === 0 ? 'pci' : 'web' } }))
    }
  }
  it('reveals nothing of 600 groups to an account without rights, not even their number', async () => {
    put(600)
    allow()
    for (const query of ['', 'labelSelector=tier%3Dpci', 'limit=1', 'state=awake']) {
      const { body } = await list(`?${query}`)
      expect([body.data, body.continue], query).to.deep.equal([[], null])
    }
  })

  it('asks the same questions whatever the selector, so that selectors reveal nothing', async () => {
    put(60)
    allow()
    await list()
    const all = service.cluster.asked.splice(0)
    service.now += 10_001
    await list('?labelSelector=tier%3Dpci')
    expect(service.cluster.asked).to.deep.equal(all)
  })

  const tokenOf = async (query: string, token = 'alices') => (await list(query, token)).body.continue ?? ''
  const resumed = async (query: string, token = 'alices') => {
    const { status, body } = await list(query, token)
    return status === 200 ? 'resumed' : body.error.message
  }
  const START_AGAIN = / leave it out to start again from the first page$/

  it('resumes with the same filters alone, at any replica', async () => {
    put(4)
    const token = await tokenOf('?limit=1')
    expect(await resumed(`?limit=2&continue=${token}`)).to.equal('resumed')
    for (const query of ['labelSelector=tier%3Dpci', 'state=awake', 'kind=deployments', 'namespace=team-001'])
      expect(await resumed(`?continue=${token}&${query}`)).to.match(START_AGAIN)
    await service.stop()
    service = await Service.start({ auth: AUTH.cluster })
    service.cluster.users.set('alices', aUser('alice'))
    expect(await resumed(`?continue=${token}`)).to.equal('resumed')
  })

  it("shows nothing of another caller's list by its token, nor by one that somebody made up", async () => {
    put(4)
    const token = await tokenOf('?limit=1')
    allow('team-003')
    for (const given of [token, tokenAt(token, 'team-000/deployments/a'), tokenAt(token, '\u0000')]) {
      const { body } = await list(`?continue=${given}`, 'bobs')
      expect(body.data.map(({ namespace }) => namespace)).to.deep.equal(['team-003'])
    }
  })

  it('refuses tokens of no list: 400, with the remedy', async () => {
    put(4)
    const plain = Buffer.from('team-001/deployments/web').toString('base64url')
    const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const none = [
      '',
      plain,
      'nope',
      of(null),
      of('it'),
      of({ position: 'a' }),
      tokenAt(await tokenOf('?limit=1'), 5),
    ]
    for (const token of none) expect(await resumed(`?continue=${token}`)).to.match(START_AGAIN)
  })

  it('has at most four access reviews in flight for all lists; requests for one workload do not wait for them', async () => {
    put(100)
    let inFlight = 0
    let most = 0
    const waiting: (() => void)[] = []
    const { promise: four, resolve: reached } = Promise.withResolvers<void>()
    service.cluster.answering = async ({ verb, namespace }) => {
      if (verb !== 'list' || namespace === undefined) return
      inFlight += 1
      most = Math.max(most, inFlight)
      if (inFlight === 4) reached()
      await new Promise<void>((resolve) => waiting.push(resolve))
      inFlight -= 1
    }
    allow('team-001')
    const lists = [list(), list('', 'bobs')]
    await four
    const one = await service.call('GET team-001/deployments/web', { token: 'alices' })
    expect(one.status).to.equal(200)
    const pump = setInterval(() => waiting.shift()?.(), 1)
    await Promise.all(lists)
    clearInterval(pump)
    expect(most).to.equal(4)
  })

  it('asks at most 5,000 questions, then says what to ask for instead', async () => {
    put(999)
    for (let index = 0; index < 4010; index += 1)
      service.cluster.put(aWorkload({ namespace: `more-${index}` }))
    allow()
    const { code, body } = await list()
    expect(code).to.equal('FORBIDDEN')
    expect(body.error.message).to.include('?namespace=')
    expect(service.cluster.asked.length).to.be.at.most(5010)
  }).timeout(30_000)
})

/** The same token with another position. */
function tokenAt(token: string, position: unknown): string {
  const content = JSON.parse(Buffer.from(token, 'base64url').toString()) as object
  return Buffer.from(JSON.stringify({ ...content, position })).toString('base64url')
}
