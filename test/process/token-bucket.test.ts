import { expect } from 'chai'
import fc from 'fast-check'
import { TokenBucket } from '../../src/process/token-bucket.ts'

describe('a token bucket', () => {
  const rate = fc.record({
    perSecond: fc.integer({ min: 1, max: 50 }),
    burst: fc.integer({ min: 1, max: 60 }),
  })
  /** Milliseconds between one arrival and the next; the clock may be set back. */
  const gaps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 }), fc.integer({ min: -5000, max: 0 })),
    { minLength: 1, maxLength: 400 },
  )

  /** The instants at which a token was taken. */
  function taken(bucket: TokenBucket, arrivals: readonly number[]): number[] {
    return arrivals.filter((at) => {
      if (bucket.wait(at) > 0) return false
      bucket.take()
      return true
    })
  }

  function arrivalsOf(gapList: readonly number[]): number[] {
    let now = 1_000_000
    return gapList.map((gap) => (now += gap))
  }

  it('lets at most burst + rate × t through in any t seconds', () => {
    fc.assert(
      fc.property(rate, gaps, ({ perSecond, burst }, given) => {
        const arrivals = arrivalsOf(given.map(Math.abs))
        const passed = taken(new TokenBucket(perSecond, burst), arrivals)
        for (const [first, from] of passed.entries())
          for (const [last, to] of passed.entries())
            if (last >= first)
              expect(last - first + 1).to.be.at.most(burst + ((to - from) / 1000) * perSecond + 1e-6)
      }),
    )
  })

  it('makes nobody wait longer after the clock was set back, and adds no token', () => {
    fc.assert(
      fc.property(rate, gaps, ({ perSecond, burst }, given) => {
        const arrivals = arrivalsOf(given)
        const forward = given.reduce((sum, gap) => sum + Math.max(0, gap), 0)
        const bucket = new TokenBucket(perSecond, burst)
        const passed = taken(bucket, arrivals)
        expect(passed.length).to.be.at.most(burst + (forward / 1000) * perSecond + 1e-6)
        expect(bucket.wait(arrivals.at(-1) ?? 0)).to.be.at.most(Math.ceil(1000 / perSecond))
      }),
    )
  })

  it('has a token after the wait that it returned, and none 2 ms earlier', () => {
    fc.assert(
      fc.property(rate, ({ perSecond, burst }) => {
        const bucket = new TokenBucket(perSecond, burst)
        taken(
          bucket,
          Array.from({ length: burst + 1 }, () => 0),
        )
        const wait = bucket.wait(0)
        expect(wait).to.be.greaterThan(0)
        expect(bucket.wait(Math.max(0, wait - 2))).to.be.greaterThan(0)
        expect(bucket.wait(wait)).to.equal(0)
      }),
    )
  })
})
