import { expect } from 'chai'
import { Slices } from '../../src/webhook/slices.ts'

function busy(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe('tasks in slices', () => {
  it('run at once while the turn has time for them', async () => {
    const played = Array.from({ length: 5 }, () => {
      const slices = new Slices()
      const done: number[] = []
      const tasks = [1, 2].map((number) => slices.run(() => done.push(number)))
      return { tasks, atOnce: [...done] }
    })
    // A machine may have something else to do between two tasks, but not each time.
    expect(played.map(({ atOnce }) => atOnce)).to.deep.include([1, 2])
    await Promise.all(played.flatMap(({ tasks }) => tasks))
  })

  it('run in order, and let the event loop turn between slices', async () => {
    const slices = new Slices()
    const done: number[] = []
    let turns = 0
    const turn = setInterval(() => (turns += 1), 0)
    const tasks = Array.from({ length: 20 }, (_, number) =>
      slices.run(() => {
        busy(5)
        done.push(number)
        return turns
      }),
    )
    const seen = new Set(await Promise.all(tasks))
    clearInterval(turn)
    expect(done).to.deep.equal(tasks.map((_, number) => number))
    // 100 ms of work in slices of 10.
    expect(seen.size).to.be.above(4)
  })

  it('reject with the error of a task, and go on with the next', async () => {
    const slices = new Slices()
    const failing = slices.run(() => {
      throw new TypeError('no')
    })
    const after = slices.run(() => 7)
    expect(await failing.catch((error: Error) => error.message)).to.equal('no')
    expect(await after).to.equal(7)
  })
})
