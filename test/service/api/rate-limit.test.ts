import { expect } from 'chai'
import fc from 'fast-check'
import { RateLimit } from '../../../src/service/http/rate-limit.ts'
import type { Refusal } from '../../../src/service/process/errors.ts'
import { NOON, Service, token } from './service.ts'

describe('rate limits', () => {
  let service: Service

  afterEach(() => service.stop())

  const limitedTo = async (perSecond: number, burst: number) => {
    service = await Service.start({ rate: { perSecond, burst } })
  }
  const call = async (count: number) =>
    await Promise.all(Array.from({ length: count }, () => service.call('GET /api/v1/workloads')))

  it('each subject has its own burst, and Retry-After says when to try again', async () => {
    await limitedTo(1, 5)
    const answers = await call(8)
    const limited = answers.filter(({ code }) => code === 'RATE_LIMITED')
    expect(answers.filter(({ status }) => status === 200)).to.have.length(5)
    expect(limited.map(({ status }) => status)).to.deep.equal([429, 429, 429])
    expect(limited[0]?.headers.get('retry-after')).to.equal('1')
    const bob = await token({ claims: { sub: 'bob' } })
    expect((await service.call('GET /api/v1/workloads', { token: bob })).status).to.equal(200)
  })

  it('are token buckets: never more than the burst at once, then the rate', async () => {
    await limitedTo(20, 40)
    const passed = async (count: number) => (await call(count)).filter(({ status }) => status === 200).length
    expect(await passed(39)).to.equal(39)
    // a window that began with the first of them would end between these two
    service.now += 1990
    expect(await passed(100)).to.equal(40)
    service.now += 100
    expect(await passed(100)).to.equal(2)
  })

  it('are applied right after authentication: limited callers cannot probe paths, strangers cannot spend tokens', async () => {
    await limitedTo(1, 1)
    await call(1)
    expect((await service.call('GET /nowhere')).code).to.equal('RATE_LIMITED')
    expect((await service.call('GET /nowhere', { token: null })).code).to.equal('UNAUTHENTICATED')
  })
})

describe('the buckets of a rate', () => {
  const refusalOf = (spend: () => void): Refusal | undefined => {
    try {
      spend()
      return undefined
    } catch (error) {
      return error as Refusal
    }
  }

  it('refuse with the time until the next token, in whole seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5 }), (perSecond, burst) => {
        let now = NOON
        const limit = new RateLimit({ perSecond, burst }, () => now)
        const spend = () => refusalOf(() => limit.spend('alice', 'slow down'))
        for (let index = 0; index < burst; index += 1) expect(spend()).to.equal(undefined)
        const refusal = spend()
        expect(refusal?.retryAfter).to.equal(Math.ceil(1 / perSecond))
        now += (refusal?.retryAfter ?? 0) * 1000
        expect(spend()).to.equal(undefined)
      }),
    )
  })

  it('are 20,000 at most, and those that are full again are dropped', () => {
    let now = NOON
    const limit = new RateLimit({ perSecond: 10, burst: 10 }, () => now)
    for (let index = 0; index < 30_000; index += 1) limit.spend(`subject ${index}`, 'slow down')
    expect(limit.size).to.equal(20_000)
    now += 1001
    for (let index = 0; index < 10; index += 1) limit.spend('subject 29999', 'slow down')
    expect(refusalOf(() => limit.spend('subject 29999', 'slow down'))?.code).to.equal('RATE_LIMITED')
  })
})
