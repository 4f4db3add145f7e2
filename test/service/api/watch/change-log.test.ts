import { expect } from 'chai'
import { ChangeLog } from '../../../../src/service/api/watch/change-log.ts'

const key = (name: string) => ({ kind: 'deployments', namespace: 'shop', name }) as const

describe('the log of changes', () => {
  const rest = (log: ChangeLog, from: number) => {
    const names: string[] = []
    for (let change = log.next(from); change; change = log.next(change.latest + 1))
      names.push(change.key.name)
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
    expect([log.keeps(0), log.keeps(1000), log.keeps(995)]).to.deep.equal([false, true, true])
  })

  it('forgets deleted workloads, so that it does not grow for ever', () => {
    const log = new ChangeLog(() => false, 10)
    for (let count = 0; count < 10_000; count += 1) log.add(key(`w${count}`))
    expect(log.size).to.be.below(30)
  })

  it('never forgets a workload that exists, or whose deletion somebody may still read', () => {
    const log = new ChangeLog(({ name }) => name === 'there', 4)
    const there = log.of(key('there'))
    log.add(key('there'))
    for (let count = 0; count < 50; count += 1) {
      const before = log.end
      log.add(key(`w${count}`))
      expect(rest(log, before)).to.deep.equal([`w${count}`])
    }
    expect(log.of(key('there'))).to.equal(there)
  })
})
