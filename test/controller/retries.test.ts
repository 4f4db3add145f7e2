import { expect } from 'chai'
import { Retries, type Due } from '../../src/controller/retries.ts'
import { MINUTE } from '../support/rules.ts'

const SNOOZE: Due = { priority: 'snooze', dueAt: 18 }

describe('retries', () => {
  const delays = (why: 'refused' | 'unavailable', times: number, random = () => 1) => {
    const retries = new Retries(random)
    return Array.from({ length: times }, () => retries.failed('a', why, SNOOZE, 0))
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
    for (const key of ['a', 'b', 'a', 'b']) retries.failed(key, 'unavailable', SNOOZE, 0)
    retries.succeeded('a')
    expect(retries.notBefore('a', SNOOZE)).to.equal(undefined)
    expect(retries.notBefore('b', SNOOZE)).to.equal(200)
    expect(retries.failed('a', 'unavailable', SNOOZE, 0)).to.equal(100)
  })

  it('hold up what failed, and nothing else', () => {
    const retries = new Retries(() => 1)
    retries.failed('a', 'refused', SNOOZE, 0)
    expect(retries.notBefore('a', { ...SNOOZE })).to.equal(10_000)
    expect(retries.notBefore('a', { priority: 'snooze', dueAt: 42 })).to.equal(undefined)
    expect(retries.notBefore('a', { priority: 'completion', dueAt: undefined })).to.equal(undefined)
    expect(retries.blockedUntil('a')).to.equal(undefined)
    expect(retries.failed('a', 'refused', { priority: 'wake', dueAt: 42 }, 0), 'a first failure').to.equal(
      10_000,
    )
  })

  it('hold up everything of a key where it was not known what to do', () => {
    const retries = new Retries(() => 1)
    retries.failed('a', 'refused', undefined, 0)
    expect([retries.notBefore('a', SNOOZE), retries.blockedUntil('a')]).to.deep.equal([10_000, 10_000])
  })

  it('for want of an answer end with the return of the cluster, those of a refusal do not', () => {
    const retries = new Retries(() => 1)
    retries.failed('away', 'unavailable', SNOOZE, 0)
    retries.failed('refused', 'refused', SNOOZE, 0)
    for (const key of ['away', 'refused']) retries.reachable(key)
    expect(retries.notBefore('away', SNOOZE)).to.equal(undefined)
    expect(retries.notBefore('refused', SNOOZE)).to.equal(10_000)
  })
})
