import { expect } from 'chai'
import { OverwriteBackoff } from '../../../src/kubernetes/registration/overwrite-backoff.ts'

const MINUTE = 60_000

describe('overwriting the webhook configuration', () => {
  it('is fought five times at once, then ever more seldom, up to every ten minutes', () => {
    const overwrites = new OverwriteBackoff()
    const pauses = []
    let now = 0
    for (let again = 0; again < 12; again++) {
      const pause = overwrites.overwritten(now)
      pauses.push(pause / 1000)
      now += pause + 100
    }
    expect(pauses).to.deep.equal([0, 0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 600])
  })

  it('is forgotten after ten minutes of peace', () => {
    const overwrites = new OverwriteBackoff()
    for (let again = 0; again < 6; again++) overwrites.overwritten(again)
    expect(overwrites.overwritten(9 * MINUTE), 'before').to.equal(20_000)
    expect(overwrites.overwritten(9 * MINUTE + 20_000 + 10 * MINUTE + 1)).to.equal(0)
  })
})
