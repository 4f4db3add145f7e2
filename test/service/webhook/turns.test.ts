import { expect } from 'chai'
import { SMALL_BODY } from '../../../src/service/webhook/limits.ts'
import { ReviewTurns } from '../../../src/service/webhook/turns.ts'

const forever = new AbortController().signal

function busy(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe('the turns of small reviews', () => {
  it('come at once while the turn has time for them', async () => {
    const played = Array.from({ length: 5 }, () => {
      const turns = new ReviewTurns()
      const done: number[] = []
      const tasks = [1, 2].map((number) => turns.run(() => done.push(number), 1, forever))
      return { tasks, atOnce: [...done] }
    })
    // A machine may have something else to do between two tasks, but not each time.
    expect(played.map(({ atOnce }) => atOnce)).to.deep.include([1, 2])
    await Promise.all(played.flatMap(({ tasks }) => tasks))
  })

  it('come in order, and let the event loop turn between slices', async () => {
    const turns = new ReviewTurns()
    const done: number[] = []
    let loops = 0
    const turn = setInterval(() => (loops += 1), 0)
    const tasks = Array.from({ length: 20 }, (_, number) => {
      const task = () => {
        busy(5)
        done.push(number)
        return loops
      }
      return turns.run(task, 1, forever)
    })
    const seen = new Set(await Promise.all(tasks))
    clearInterval(turn)
    expect(done).to.deep.equal(tasks.map((_, number) => number))
    // 100 ms of work in slices of 10.
    expect(seen.size).to.be.above(4)
  })

  it('end with the error of a task, and go on with the next', async () => {
    const turns = new ReviewTurns()
    const failing = turns.run(
      () => {
        throw new TypeError('no')
      },
      1,
      forever,
    )
    const after = turns.run(() => 7, 1, forever)
    expect(await failing.catch((error: Error) => error.message)).to.equal('no')
    expect(await after).to.equal(7)
  })
})

describe('the turns of large reviews', () => {
  it('come one at a time and behind small ones, the smallest first, at most four a second', async () => {
    const turns = new ReviewTurns()
    const begun = performance.now()
    const order: number[] = []
    const task = (bytes: number) =>
      turns.run(
        () => {
          order.push(bytes)
          busy(5)
        },
        bytes,
        forever,
      )
    const sizes = [3, 1, 2].map((size) => SMALL_BODY + size)
    await Promise.all([...sizes, ...Array.from({ length: 20 }, () => 5)].map(task))
    expect(order).to.deep.equal([...Array.from({ length: 20 }, () => 5), ...sizes.toSorted((a, b) => a - b)])
    expect(performance.now() - begun).to.be.at.least(490)
  })

  it('are given up once nobody waits for them', async () => {
    const turns = new ReviewTurns()
    let ran = 0
    const gone = new AbortController()
    const first = turns.run(() => (ran += 1), SMALL_BODY + 1, forever)
    const second = turns.run(() => (ran += 1), SMALL_BODY + 2, gone.signal)
    gone.abort(new Error('gone'))
    expect(await second.catch((error: Error) => error.message)).to.equal('gone')
    await first
    expect(await turns.run(() => ran, SMALL_BODY + 1, forever)).to.equal(1)
  })
})
