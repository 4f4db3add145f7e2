import { expect } from 'chai'
import { MINUTE } from '../../support/rules.ts'
import { aQueue, due, NOON } from './a-queue.ts'

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

  it('of our own does not delay an edge', async () => {
    const { queue, evaluated, time } = aQueue()
    queue.failed('a', 'refused', undefined)
    queue.addAfter('a', NOON + 1000)
    await time.pass(1000)
    expect(evaluated).to.deep.equal(['a 12:00:01'])
    expect(queue.isBlocked('a')).to.equal(false)
    await time.pass(MINUTE)
    expect(evaluated, 'nor is it evaluated again for it').to.have.length(1)
  })

  it('or a rest that nothing waits for any more evaluates nothing', async () => {
    const { queue, add, rests, evaluated, time, started, finish } = aQueue({ concurrency: 2 })
    for (const key of ['forgotten', 'worked']) {
      rests.set(key, 5000)
      add(key)
    }
    queue.forget('forgotten')
    rests.clear()
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
    const { queue, hooks, jobs, time, finish } = aQueue()
    hooks.evaluate = (key) => queue.add(key, SNOOZE)
    queue.addAfter('a', NOON + 1000)
    await time.pass(1000)
    queue.failed('a', 'unavailable', SNOOZE)
    queue.add('a', SNOOZE)
    await finish('a')
    await time.pass(100)
    queue.addAfter('a', NOON + 5000)
    await time.pass(5000)
    queue.succeeded('a')
    await finish('a')
    queue.add('a', SNOOZE)
    await finish('a')
    const second = 1000
    expect(
      jobs.map(({ dueSince }) => dueSince),
      'the third fired while in work',
    ).to.deep.equal([second, second, 5000])
    queue.addAfter('b', NOON + 8000)
    hooks.evaluate = (key) => queue.forget(key)
    await time.pass(8000)
    queue.add('b', SNOOZE)
    expect(jobs.at(-1)).to.deep.include({ key: 'b', dueSince: undefined })
  })
})
