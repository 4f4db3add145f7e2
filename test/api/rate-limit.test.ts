import { expect } from 'chai'
import { limitBadTokens } from '../../src/api/rate-limit.ts'
import { Service, token } from './service.ts'

describe('rate limits', () => {
  it('each subject has a burst of its own, and is told when to come again', async () => {
    const service = await Service.start({ rate: { perSecond: 1, burst: 5 } })
    try {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => service.call('GET /api/v1/workloads')),
      )
      const limited = answers.filter(({ code }) => code === 'RATE_LIMITED')
      expect(answers.filter(({ status }) => status === 200)).to.have.length(5)
      expect(limited.map(({ status }) => status)).to.deep.equal([429, 429, 429])
      expect(limited[0]?.headers.get('retry-after')).to.match(/^[1-5]$/)
      const bob = await token({ claims: { sub: 'bob' } })
      expect((await service.call('GET /api/v1/workloads', { token: bob })).status).to.equal(200)
    } finally {
      await service.stop()
    }
  })

  it('comes right after authentication: a limited caller learns no paths, a stranger no limits', async () => {
    const service = await Service.start({ rate: { perSecond: 1, burst: 1 } })
    try {
      await service.call('GET /api/v1/workloads')
      expect((await service.call('GET /nowhere')).code).to.equal('RATE_LIMITED')
      expect((await service.call('GET /nowhere', { token: null })).code).to.equal('UNAUTHENTICATED')
    } finally {
      await service.stop()
    }
  })

  const fill = async (limit: ReturnType<typeof limitBadTokens>, address: string, good: boolean) => {
    for (let index = 0; index < 100; index += 1) {
      const settle = await limit.reserve(address)
      await settle(good)
    }
  }
  const isRefused = async (limit: ReturnType<typeof limitBadTokens>, address: string) =>
    await limit.reserve(address).then(
      () => false,
      () => true,
    )

  it('good tokens give their place back', async () => {
    const limit = limitBadTokens()
    await fill(limit, '10.0.0.1', true)
    expect(await isRefused(limit, '10.0.0.1')).to.equal(false)
  })

  it('bad tokens of one IPv6 network count together', async () => {
    const limit = limitBadTokens()
    await fill(limit, '2001:db8:0:1::1', false)
    expect(await isRefused(limit, '2001:db8:0:1:2:3:4:5')).to.equal(true)
    expect(await isRefused(limit, '2001:db8:0:2::1')).to.equal(false)
    expect(await isRefused(limit, '::ffff:10.0.0.1')).to.equal(false)
  })
})
