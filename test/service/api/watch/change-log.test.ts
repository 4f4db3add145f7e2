import { expect } from 'chai'
import { ChangeLog } from '../../../../src/service/api/watch/change-log.ts'
import { Bits } from '../../../../src/service/api/watch/bits.ts'
import { digest, EventIds } from '../../../../src/service/api/watch/event-ids.ts'

const key = (name: string) => ({ kind: 'deployments', namespace: 'shop', name }) as const

describe('the log of changes', () => {
  const rest = (log: ChangeLog, from: number) => {
    const names: string[] = []
    for (let change = log.next(from); change; change = log.next(change.next)) names.push(change.key.name)
    return names
  }

  it('tells each workload once, at its latest change', () => {
    const log = new ChangeLog(() => true)
    for (const name of ['a', 'b', 'a', 'c']) log.add(key(name))
    expect(rest(log, 0)).to.deep.equal(['b', 'a', 'c'])
    expect(rest(log, 3)).to.deep.equal(['c'])
  })

  it('keeps so many changes, and knows which positions it no longer has', () => {
    const log = new ChangeLog(() => true, 10)
    for (let count = 0; count < 1000; count += 1) log.add(key(`w${count % 3}`))
    expect(log.end).to.equal(1000)
    expect([log.keeps(0), log.keeps(1000), log.keeps(995), log.keeps(1001)]).to.deep.equal([
      false, true, true, false,
    ]) // prettier-ignore
  })

  it('gives the numbers of deleted workloads anew, so that it does not grow for ever', () => {
    const log = new ChangeLog(() => false, 10)
    let most = 0
    for (let count = 0; count < 10_000; count += 1) {
      log.add(key(`w${count}`))
      most = Math.max(most, log.indexOf(key(`w${count}`)))
    }
    expect(most).to.be.below(30)
    expect([...log.known()].length).to.be.below(30)
  })

  it('never gives the number of a workload anew that exists, or whose deletion somebody may still read', () => {
    const log = new ChangeLog(({ name }) => name === 'there', 4)
    const there = log.indexOf(key('there'))
    log.add(key('there'))
    for (let count = 0; count < 50; count += 1) {
      const before = log.end
      log.add(key(`w${count}`))
      expect(rest(log, before)).to.deep.equal([`w${count}`])
    }
    expect(log.indexOf(key('there'))).to.equal(there)
  })
})

describe('a set of numbers', () => {
  it('has what was added and not deleted since', () => {
    const bits = new Bits()
    for (const number of [0, 7, 8, 5000, 100_000]) bits.add(number)
    bits.delete(7)
    bits.delete(900_000)
    expect([0, 7, 8, 9, 5000, 100_000, 900_000].filter((number) => bits.has(number))).to.deep.equal([
      0, 8, 5000, 100_000,
    ]) // prettier-ignore
  })
})

describe('ids of events', () => {
  const list = digest('a list', 'shop/deployments')

  it('hold a position of one list', () => {
    const ids = new EventIds()
    expect(ids.open(list, ids.seal(list, 123_456_789))).to.equal(123_456_789)
    expect(ids.open(digest('another'), ids.seal(list, 1))).to.equal(undefined)
    expect(new EventIds().open(list, ids.seal(list, 1))).to.equal(undefined)
  })

  it('differ for the same position, so that they do not tell what happens elsewhere', () => {
    const ids = new EventIds()
    expect(ids.seal(list, 1)).not.to.equal(ids.seal(list, 1))
  })
})
