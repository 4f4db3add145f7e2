import { expect } from 'chai'
import { median, perSecond } from '../../bench/report/figures.ts'
import { alternating } from '../../bench/measure/edges.ts'
import { verbOf } from '../../bench/measure/counting-proxy.ts'
import { rulesWith } from '../support/rules.ts'

describe('the figures of the bench', () => {
  it('have the median of odd and of even numbers of rounds', () => {
    expect(median([3, 1, 2])).to.equal(2)
    expect(median([4, 1, 2, 3])).to.equal(2.5)
    expect(median([])).to.be.NaN
  })

  it('are a second', () => {
    expect(perSecond(500, 250)).to.equal(2000)
  })
})

describe('the schedule of the bench', () => {
  const start = Date.parse('2026-03-02T23:58:00Z')

  it('has an edge each minute, over midnight too', () => {
    const { schedule, edges } = alternating(start, 3)
    const compiled = rulesWith().compile(schedule, 'UTC')
    for (const { at, direction } of edges) {
      expect(compiled.stateAt(at - 1), `before ${new Date(at).toISOString()}`).to.equal(
        direction === 'sleep' ? 'awake' : 'asleep',
      )
      expect(compiled.stateAt(at), new Date(at).toISOString()).to.equal(
        direction === 'wake' ? 'awake' : 'asleep',
      )
    }
    expect(edges).to.have.length(6)
  })

  it('fits what a schedule may have, for as many rounds as backoff allows', () => {
    expect(() => rulesWith().compile(alternating(start, 9, 4).schedule, 'UTC')).not.to.throw()
  })
})

describe('the counting proxy', () => {
  it('names requests as RBAC does', () => {
    const name = (method: string, url: string) => Object.values(verbOf(method, url)).join(' ')
    expect(name('GET', '/apis/apps/v1/deployments?limit=500')).to.equal('list deployments')
    expect(name('GET', '/apis/apps/v1/deployments?watch=true')).to.equal('watch deployments')
    expect(name('GET', '/apis/apps/v1/namespaces/shop/deployments/web')).to.equal('get deployments')
    expect(name('PUT', '/apis/coordination.k8s.io/v1/namespaces/d/leases/d')).to.equal('update leases')
    expect(name('GET', '/api/v1/namespaces/dormouse')).to.equal('get namespaces')
    expect(name('GET', '/api/v1/namespaces')).to.equal('list namespaces')
    expect(name('POST', '/api/v1/namespaces/shop/events')).to.equal('create events')
  })
})
