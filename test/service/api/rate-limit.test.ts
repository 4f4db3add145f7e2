import { expect } from 'chai'
import fc from 'fast-check'
import { RateLimit } from '../../../src/http/rate-limit.ts'
import type { Refusal } from '../../../src/process/errors.ts'
import { NOON, Service, token } from './service.ts'

describe('rate limits', () => {
  let service: Service

  afterEach(() => service.stop())

  it('are applied right after authentication: limited callers cannot probe paths, strangers cannot spend tokens', async () => {
    service = await Service.start({ rate: { perSecond: 1, burst: 1 } })
    await service.call('GET /api/v1/workloads')
    expect((await service.call('GET /nowhere')).code).to.equal('RATE_LIMITED')
    expect((await service.call('GET /nowhere', { token: null })).code).to.equal('UNAUTHENTICATED')
    const bob = await token({ claims: { sub: 'bob' } })
    expect((await service.call('GET /api/v1/workloads', { token: bob })).status).to.equal(200)
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
