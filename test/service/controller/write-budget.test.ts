import { expect } from 'chai'
import { WriteBudget } from '../../../src/service/controller/write-budget.ts'
import { MINUTE, SECOND } from '../../support/rules.ts'

const REPAIR = { priority: 'completion', dueAt: undefined } as const
const LIMIT = 20

/** Writes whenever that is allowed, every `pause` milliseconds; returns the times. */
function written(budget: WriteBudget, key: string, from: number, to: number, pause: number): number[] {
  const times: number[] = []
  for (let now = from; now < to; now += pause) {
    if (budget.delayOf(key, REPAIR, now)) continue
    budget.wrote(key, undefined, now)
    times.push(now)
  }
  return times
}

describe('a write budget', () => {
  it('allows its limit of writes within any minute, and then one after each delay', () => {
    const times = written(new WriteBudget(LIMIT, () => 0.999_999), 'web', 0, 60 * MINUTE, 100)
    expect(times.slice(0, LIMIT)).to.deep.equal(Array.from({ length: LIMIT }, (_, index) => index * 100))
    const delays = times.slice(LIMIT).map((at, index) => (at - times[LIMIT + index - 1]!) / SECOND)
    expect(delays.map(Math.round)).to.deep.equal([58, 20, 40, 80, 160, 320, 600, 600, 600, 600])
  })

  it('never waits less than half of that', () => {
    const times = written(new WriteBudget(LIMIT, () => 0), 'web', 0, 60 * MINUTE, 100)
    const most = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE).length),
    )
    expect(most).to.equal(LIMIT)
  })

  it('starts anew once nothing was undone for a minute', () => {
    const budget = new WriteBudget(LIMIT, () => 0.5)
    const last = written(budget, 'web', 0, 10 * MINUTE, 100).at(-1)!
    const next = last + 20 * MINUTE
    expect(written(budget, 'web', next, next + MINUTE, 100)).to.have.length(LIMIT)
  })

  it('reports an episode once, and once each delay that a write waits for', () => {
    const budget = new WriteBudget(LIMIT, () => 0.5)
    const news: string[] = []
    for (let now = 0; now < 10 * MINUTE; now += 100) {
      const delay = budget.delayOf('web', REPAIR, now)
      if (delay?.news) news.push(delay.news)
      if (!delay) budget.wrote('web', undefined, now)
    }
    expect(news).to.deep.equal(['episode', ...Array.from({ length: 6 }, () => 'delay')])
  })

  it('lets each edge pass, and each once', () => {
    const budget = new WriteBudget(LIMIT)
    written(budget, 'web', 0, 2 * MINUTE, 100)
    const edge = { priority: 'wake', dueAt: 8 } as const
    expect(budget.delayOf('web', REPAIR, 2 * MINUTE)).to.not.equal(undefined)
    expect(budget.delayOf('web', edge, 2 * MINUTE)).to.equal(undefined)
    budget.wrote('web', edge.dueAt, 2 * MINUTE)
    expect(budget.delayOf('web', edge, 2 * MINUTE), 'the same again is a repair').to.not.equal(undefined)
    expect(budget.delayOf('web', { priority: 'snooze', dueAt: 18 }, 2 * MINUTE)).to.equal(undefined)
  })

  it('remembers no more than was written within the last minutes', () => {
    const budget = new WriteBudget(LIMIT)
    let most = 0
    for (let now = 0; now < 10 * MINUTE; now += 10) {
      budget.wrote(`app-${now}`, undefined, now)
      most = Math.max(most, budget.size)
    }
    expect(most).to.be.within(MINUTE / 10, MINUTE / 10 + 2)
  })

  it('remembers a key in a delay for as long as that lasts, and no other', () => {
    const budget = new WriteBudget(LIMIT, () => 0.5)
    for (let now = 0; now < 30 * MINUTE; now += 100) {
      if (!budget.delayOf('loop', REPAIR, now)) budget.wrote('loop', undefined, now)
      budget.wrote(`app-${now}`, undefined, now)
    }
    expect(budget.size).to.be.within(MINUTE / 100, MINUTE / 100 + 3)
    expect(budget.delayOf('loop', REPAIR, 30 * MINUTE)).to.not.equal(undefined)
  })
})
