import { expect } from 'chai'
import { Contest } from '../../../src/kubernetes/registration/contest.ts'

const MINUTE = 60_000

describe('a contest for the webhook configuration', () => {
  it('is fought five times at once, then ever more seldom, up to every ten minutes', () => {
    const contest = new Contest()
    const rests = []
    let now = 0
    for (let again = 0; again < 12; again++) {
      const rest = contest.lost(now)
      rests.push(rest / 1000)
      now += rest + 100
    }
    expect(rests).to.deep.equal([0, 0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 600])
  })

  it('is forgotten after ten minutes of peace', () => {
    const contest = new Contest()
    for (let again = 0; again < 6; again++) contest.lost(again)
    expect(contest.lost(9 * MINUTE), 'before').to.equal(20_000)
    expect(contest.lost(9 * MINUTE + 20_000 + 10 * MINUTE + 1)).to.equal(0)
  })
})
