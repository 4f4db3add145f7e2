import { expect } from 'chai'
import { SMALL_BODY } from '../../../src/service/webhook/routes.ts'
import { ReviewTurns } from '../../../src/service/webhook/turns.ts'

const SMALL = { bytes: 1 }
const LARGE = { bytes: SMALL_BODY + 1 }
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
      const tasks = [1, 2].map((number) => turns.run(() => done.push(number), SMALL, forever))
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
      return turns.run(task, SMALL, forever)
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
      SMALL,
      forever,
    )
    const after = turns.run(() => 7, SMALL, forever)
    expect(await failing.catch((error: Error) => error.message)).to.equal('no')
    expect(await after).to.equal(7)
  })
})

describe('the turns of large reviews', () => {
  it('come one at a time and in order, each with a pause after it, and keep no small one waiting', async () => {
    const turns = new ReviewTurns()
    const order: number[] = []
    const task = (bytes: number) => turns.run(() => order.push(bytes), { bytes }, forever)
    const sizes = [3, 1, 2].map((size) => SMALL_BODY + size)
    const large = sizes.map(task)
    const small = Array.from({ length: 20 }, () => 5)
    await Promise.all(small.map(task))
    expect(order.filter((bytes) => bytes > SMALL_BODY).length).to.be.at.most(1)
    await Promise.all(large)
    expect(order.filter((bytes) => bytes > SMALL_BODY)).to.deep.equal(sizes)
  })

  it('leave as much time as they take to everything else', async () => {
    const turns = new ReviewTurns()
    const begun = performance.now()
    await Promise.all([1, 2, 3].map(() => turns.run(() => busy(100), LARGE, forever)))
    expect(performance.now() - begun).to.be.at.least(490)
  })

  it('come in turns of namespaces, and in each of users: a flood of one delays another by one review', async () => {
    const turns = new ReviewTurns()
    const done: string[] = []
    const send = (namespace: string, user: string) =>
      turns.run(
        () => void done.push(`${namespace} ${user}`),
        { ...LARGE, party: () => ({ namespace, user }) },
        forever,
      )
    const flood = Array.from({ length: 40 }, () => send('flood', 'ed'))
    await Promise.all([send('shop', 'own'), send('flood', 'bob')])
    expect(done.filter((each) => each === 'flood ed')).to.have.length.at.most(4)
    await Promise.all(flood)
    expect(done).to.have.length(42)
  })

  it('are given up once nobody waits for them, and take no time then', async () => {
    const turns = new ReviewTurns()
    let ran = 0
    const gone = new AbortController()
    const task = (signal: AbortSignal) => turns.run(() => (ran += 1), LARGE, signal)
    const first = task(forever)
    const begun = performance.now()
    const others = Array.from({ length: 100 }, () => task(gone.signal).catch((error: Error) => error.message))
    const last = task(forever)
    gone.abort(new Error('gone'))
    expect(new Set(await Promise.all(others))).to.deep.equal(new Set(['gone']))
    await first
    expect(await last).to.equal(2)
    expect(performance.now() - begun).to.be.below(5000)
  })
})
