import { expect } from 'chai'
import { MINUTE } from '../../support/rules.ts'
import { aQueue, due } from './a-queue.ts'

const SNOOZE = due('snooze', 18)

/** The milliseconds that each of the failures in a row was waited for. */
async function backoffs(why: 'refused' | 'unavailable', times: number, random = () => 1): Promise<number[]> {
  const { queue, time, started, hooks, finish } = aQueue({ random })
  hooks.evaluate = (key) => queue.add(key, SNOOZE)
  const waited: number[] = []
  queue.add('a', SNOOZE)
  for (let failure = 0; failure < times; failure++) {
    queue.failed('a', why, SNOOZE)
    queue.add('a', SNOOZE)
    await finish('a')
    const before = time.monotonic()
    const tried = started.length
    if (tried > failure + 1) throw new Error('tried at once')
    await time.pass(time.sleeps.at(-1)!)
    while (started.length === tried) await time.pass(time.sleeps.at(-1)!)
    waited.push(time.monotonic() - before)
  }
  return waited
}

describe('a failure in the delaying queue', () => {
  it('for want of an answer is tried again after 100 ms, doubled to 2 s, so that all is caught up in time', async () => {
    expect(await backoffs('unavailable', 7)).to.deep.equal([100, 200, 400, 800, 1600, 2000, 2000])
  })

  it('by a refusal is tried again after 10 s, doubled to 10 min', async () => {
    const seconds = [10, 20, 40, 80, 160, 320, 600, 600]
    expect(await backoffs('refused', 8)).to.deep.equal(seconds.map((each) => each * 1000))
  })

  it('stays at the longest backoff for good', async () => {
    expect((await backoffs('refused', 300)).at(-1)).to.equal(10 * MINUTE)
  })

  it('spreads its backoff over the second half', async () => {
    expect(await backoffs('unavailable', 2, () => 0)).to.deep.equal([50, 100])
  })

  it('starts anew after a success, for that key alone', async () => {
    const { queue, started, time } = aQueue({ concurrency: 8 })
    for (const key of ['a', 'b', 'a', 'b']) queue.failed(key, 'unavailable', SNOOZE)
    queue.succeeded('a')
    for (const key of ['a', 'b']) queue.add(key, SNOOZE)
    expect(started).to.deep.equal(['a snooze'])
    queue.failed('c', 'unavailable', SNOOZE)
    queue.succeeded('c')
    queue.failed('c', 'unavailable', SNOOZE)
    await time.pass(100)
    queue.add('c', SNOOZE)
    expect(started, 'a first failure').to.deep.equal(['a snooze', 'c snooze'])
  })

  it('holds up what failed, and nothing else', async () => {
    const { queue, started, time } = aQueue({ concurrency: 8 })
    for (const key of ['same', 'edge', 'completion']) queue.failed(key, 'refused', SNOOZE)
    queue.add('same', { ...SNOOZE })
    queue.add('edge', due('snooze', 42))
    queue.add('completion', due('completion'))
    expect(started).to.deep.equal(['edge snooze', 'completion completion'])
    expect(queue.isBlocked('same')).to.equal(false)
    queue.failed('same', 'refused', due('wake', 42))
    await time.pass(10_000)
    queue.add('same', due('wake', 42))
    expect(started.at(-1), 'a first failure').to.equal('same wake')
  })

  it('blocks its key where nobody knows what was tried, and evaluates it afterwards', async () => {
    const { queue, started, evaluated, time } = aQueue()
    queue.failed('a', 'refused', undefined)
    expect(queue.isBlocked('a')).to.equal(true)
    queue.add('a', SNOOZE)
    await time.pass(9999)
    expect([started, evaluated]).to.deep.equal([[], []])
    await time.pass(1)
    expect(evaluated).to.deep.equal(['a 12:00:10'])
    expect(queue.isBlocked('a')).to.equal(false)
  })

  it('of our own ends when what decides on the key has changed, as at an edge', async () => {
    const { queue, evaluated, started, time } = aQueue()
    queue.failed('a', 'refused', undefined)
    queue.inputsChanged('a')
    expect(queue.isBlocked('a')).to.equal(false)
    queue.add('a', SNOOZE)
    expect(started).to.deep.equal(['a snooze'])
    await time.pass(MINUTE)
    expect(evaluated, 'nor is it evaluated for it').to.deep.equal([])
  })

  it('of our own, where that changed while it was in work, is tried again at once', async () => {
    const { queue, add, evaluated, time, finish } = aQueue()
    add('a')
    queue.inputsChanged('a')
    queue.failed('a', 'refused', undefined)
    await finish('a')
    await time.pass(0)
    expect(evaluated).to.deep.equal(['a 12:00:00'])
  })

  it('of a write does not end when what decides on the key has changed', () => {
    const { queue, started } = aQueue()
    queue.failed('a', 'refused', SNOOZE)
    queue.inputsChanged('a')
    queue.add('a', SNOOZE)
    expect(started).to.deep.equal([])
  })

  it('or a delay that nothing waits for any more evaluates nothing', async () => {
    const { queue, add, delays, evaluated, time, started, finish } = aQueue({ concurrency: 2 })
    for (const key of ['forgotten', 'worked']) {
      delays.set(key, 5000)
      add(key)
    }
    queue.forget('forgotten')
    delays.clear()
    add('worked')
    expect(started).to.deep.equal(['worked snooze'])
    await finish('worked')
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal([])
  })

  it('for want of an answer ends with the return of the cluster, a refusal does not', () => {
    const { queue, started } = aQueue({ concurrency: 8 })
    queue.failed('away', 'unavailable', SNOOZE)
    queue.failed('refused', 'refused', SNOOZE)
    queue.reachable('unknown')
    for (const key of ['away', 'refused']) {
      queue.reachable(key)
      queue.add(key, SNOOZE)
    }
    expect(started).to.deep.equal(['away snooze'])
  })

  it('makes nothing wait longer when the clock is set back', async () => {
    const { queue, evaluated, time } = aQueue()
    queue.failed('a', 'refused', undefined)
    time.jump(-90 * MINUTE)
    await time.pass(10_000)
    expect(evaluated).to.have.length(1)
  })

  it('keeps the instant that lateness is measured from; a success and a forget do not', async () => {
    const { queue, jobs, time, finish } = aQueue()
    queue.add('a', SNOOZE, 7)
    queue.failed('a', 'unavailable', SNOOZE)
    queue.add('a', SNOOZE)
    await finish('a')
    await time.pass(100)
    queue.add('a', SNOOZE, 9)
    queue.succeeded('a')
    await finish('a')
    queue.add('a', SNOOZE)
    await finish('a')
    expect(jobs.map(({ dueSince }) => dueSince)).to.deep.equal([7, 7, undefined])
    queue.failed('b', 'unavailable', SNOOZE)
    queue.add('b', SNOOZE, 8)
    queue.forget('b')
    queue.add('b', SNOOZE)
    expect(jobs.at(-1)).to.deep.include({ key: 'b', dueSince: undefined })
  })
})
