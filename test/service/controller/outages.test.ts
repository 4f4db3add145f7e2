import { expect } from 'chai'
import { Outages } from '../../../src/service/controller/outages.ts'

describe('an outage of a kind', () => {
  it('ends what waits or reads for that kind, and what begins meanwhile, and nothing of another', () => {
    let connected = true
    const outages = new Outages({ isConnected: (kind) => kind !== 'deployments' || connected })
    const ending = new AbortController()
    outages.open(ending.signal)
    const before = outages.signal('deployments')
    const other = outages.signal('statefulsets')
    expect(before.aborted).to.equal(false)
    connected = false
    outages.began('deployments')
    expect([before.aborted, other.aborted]).to.deep.equal([true, false])
    connected = true
    outages.ended('deployments')
    expect(outages.signal('deployments').aborted).to.equal(false)
    connected = false
    expect(outages.signal('deployments').aborted, 'before it is told').to.equal(true)
    ending.abort()
    expect(outages.signal('statefulsets').aborted, 'at the end').to.equal(true)
    outages.open(new AbortController().signal)
    expect(outages.signal('statefulsets').aborted, 'when it leads again').to.equal(false)
  })

  it('returns the keys that waited once', () => {
    const outages = new Outages({ isConnected: () => false })
    expect(outages.defers('deployments', 'web')).to.equal(true)
    expect(outages.ended('deployments')).to.deep.equal(['web'])
    expect(outages.ended('deployments')).to.deep.equal([])
  })
})
