import { expect } from 'chai'
import { PortLedger } from '../../../src/domain/traffic/port-ledger.ts'

const RANGE = { from: 20_000, to: 20_001 }
const NONE = new Map<string, number>()
const MINUTE = 60_000

describe('ports of wakers', () => {
  const claimed = (ledger: PortLedger, uid: string, names = ['http'], now = 0) =>
    ledger.claim(uid, names, NONE, now)

  it('are different for each port of each Service, until the range is used up', () => {
    const ledger = new PortLedger(RANGE)
    const numbers = ['a', 'b'].map((uid) => claimed(ledger, uid)?.get('http'))
    expect(numbers).to.have.members([20_000, 20_001])
    expect(claimed(ledger, 'c')).to.equal(undefined)
    expect(claimed(new PortLedger(RANGE), 'a', ['x', 'y', 'z'])).to.equal(undefined)
  })

  it('stay as they stand in the cluster, and else follow from the Service alone', () => {
    const wide = { from: 20_000, to: 20_999 }
    const [number] = claimed(new PortLedger(wide), 'a')?.values() ?? []
    expect(claimed(new PortLedger(wide), 'a')?.get('http')).to.equal(number)
    const standing = new Map([['http', 20_777]])
    const ledger = new PortLedger(wide)
    expect(ledger.claim('a', ['http'], standing, 0)).to.deep.equal(standing)
    expect(ledger.claim('b', ['http'], standing, 0)?.get('http')).not.to.equal(20_777)
    expect(ledger.claim('c', ['http'], new Map([['http', 80]]), 0)?.get('http')).to.be.within(20_000, 20_999)
  })

  it('are kept from others for two minutes after they were freed, and not from their own Service', () => {
    const ledger = new PortLedger({ from: 20_000, to: 20_000 })
    expect(claimed(ledger, 'a')).to.have.property('size', 1)
    ledger.free('a', MINUTE)
    expect(claimed(ledger, 'b', ['http'], 3 * MINUTE - 1)).to.equal(undefined)
    expect(claimed(ledger, 'b', ['http'], 3 * MINUTE)).to.have.property('size', 1)
    expect(claimed(ledger, 'a', ['http'], 3 * MINUTE)).to.equal(undefined)
    ledger.free('b', 3 * MINUTE)
    expect(claimed(ledger, 'b', ['http'], 3 * MINUTE)).to.have.property('size', 1)
  })
})
