import { expect } from 'chai'
import { Retries } from '../../src/controller/retries.ts'
import { MINUTE } from '../support/rules.ts'

describe('retries', () => {
  const delays = (why: 'refused' | 'unavailable', times: number, random = () => 1) => {
    const retries = new Retries(random)
    return Array.from({ length: times }, () => retries.failed('a', why, 0))
  }

  it('of a cluster that does not answer double from 100 ms to 2 s, so that all is caught up in time', () => {
    expect(delays('unavailable', 7)).to.deep.equal([100, 200, 400, 800, 1600, 2000, 2000])
  })

  it('of what the cluster refuses double from 10 s to 10 min', () => {
    expect(delays('refused', 8)).to.deep.equal(
      [10, 20, 40, 80, 160, 320, 600, 600].map((seconds) => seconds * 1000),
    )
  })

  it('stay at the longest delay for good', () => {
    expect(delays('refused', 3000).at(-1)).to.equal(10 * MINUTE)
  })

  it('are spread over the second half of their delay', () => {
    expect(delays('unavailable', 2, () => 0)).to.deep.equal([50, 100])
  })

  it('start anew after a success, for that key alone', () => {
    const retries = new Retries(() => 1)
    for (const key of ['a', 'b', 'a', 'b']) retries.failed(key, 'unavailable', 0)
    retries.succeeded('a')
    expect(retries.notBefore('a')).to.equal(undefined)
    expect(retries.notBefore('b')).to.equal(200)
    expect(retries.failed('a', 'unavailable', 0)).to.equal(100)
  })
})
