import { expect } from 'chai'
import type { Pace, Priority } from '../../../src/kubernetes/ports.ts'
import { DelayingQueue, type Job } from '../../../src/service/controller/delaying-queue.ts'
import type { Due } from '../../../src/service/controller/failures.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { at, MINUTE } from '../../support/rules.ts'
import { UNPACED } from './rig.ts'
import { Told } from './told.ts'

interface Options {
  readonly concurrency?: number
  readonly open?: boolean
  readonly pace?: Pace
  /** Default: every backoff has its full length. */
  readonly random?: () => number
}

const due = (priority: Priority, dueAt?: number): Due => ({ priority, dueAt })
const SNOOZE = due('snooze', 18)

/** A queue whose work lasts until it is said to end, and whose evaluations are noted. */
function aQueue({ concurrency = 1, open = true, pace = UNPACED, random = () => 1 }: Options = {}) {
  const time = new FakeTime(at('Mon 12:00'))
  const { monotonic, later } = time
  const told = new Told()
  const jobs: Job<Due>[] = []
  const running = new Map<string, () => void>()
  /** `web 12:00:01` for each evaluation. */
  const evaluated: string[] = []
  const delays = new Map<string, number>()
  const queue: DelayingQueue<Due> = new DelayingQueue(
    {
      evaluate: (key) => void evaluated.push(`${key} ${new Date(time.clock()).toISOString().slice(11, 19)}`),
      work: (job) => {
        jobs.push(job)
        return new Promise<void>((resolve) => running.set(job.key, resolve))
      },
      delayedUntil: (key) => ((delays.get(key) ?? 0) > time.monotonic() ? delays.get(key) : undefined),
    },
    { monotonic, later, concurrency, pace, observer: told, random },
  )
  if (open) queue.open()
  const add = (key: string, task = SNOOZE) => queue.add(key, task)
  /** The items that were handed out. */
  const started = () => jobs.map(({ key, task }) => `${key} ${task.priority}`)
  const finish = async (key: string) => {
    running.get(key)?.()
    running.delete(key)
    await settled()
  }
  return { queue, time, told, started, jobs, running, evaluated, delays, add, finish }
}

describe('the delaying queue', () => {
  it('takes nothing before it is opened', () => {
    const { add, queue } = aQueue({ open: false })
    add('a')
    expect(queue.size).to.equal(0)
  })

  it('works on as many keys at once as it may, and on no key twice at once', async () => {
    const { add, running, finish } = aQueue({ concurrency: 4 })
    for (let i = 0; i < 10; i++) add(`key ${i % 6}`)
    expect([...running.keys()]).to.have.length(4)
    await finish('key 0')
    expect([...running.keys()]).to.have.length(4)
  })

  it('holds a key once, under its newest task, from when it first came', async () => {
    const { add, queue, time, told, jobs, finish } = aQueue()
    await time.pass(1000)
    add('busy')
    add('a', due('completion'))
    add('forgotten')
    await time.pass(3000)
    add('a', due('wake', 7))
    add('a', due('wake', 8))
    expect(told.depth).to.equal(2)
    queue.forget('forgotten')
    expect(told.depth).to.equal(1)
    await finish('busy')
    expect(jobs.map(({ task }) => task.dueAt)).to.deep.equal([18, 8])
    expect(told.waits).to.deep.equal([0, 3])
  })

  it('delays a due task, and evaluates its key when the delay has ended', async () => {
    const { add, queue, time, started, evaluated, delays } = aQueue()
    delays.set('a', 5000)
    add('a')
    expect(queue.size, 'only its timer').to.equal(0)
    await time.pass(4999)
    expect([started(), evaluated]).to.deep.equal([[], []])
    await time.pass(1)
    expect([started(), evaluated]).to.deep.equal([[], ['a 12:00:05']])
    add('a')
    expect(started()).to.deep.equal(['a snooze'])
  })

  it('evaluates nothing for a delay that nothing waits for any more', async () => {
    const { queue, add, delays, evaluated, time, started, finish } = aQueue({ concurrency: 2 })
    for (const key of ['forgotten', 'worked']) {
      delays.set(key, 5000)
      add(key)
    }
    queue.forget('forgotten')
    delays.clear()
    add('worked')
    expect(started()).to.deep.equal(['worked snooze'])
    await finish('worked')
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal([])
  })

  it('closes when what is in work has ended, forgets what waits, and takes nothing until it is opened', async () => {
    const { add, queue, told, time, started, evaluated, finish } = aQueue({ concurrency: 2 })
    for (const key of ['a', 'a 2', 'b']) add(key)
    queue.failed('a', 'refused', undefined)
    let closed = false
    const closing = queue.close().then(() => (closed = true))
    expect([told.depth, time.armed]).to.deep.equal([0, 0])
    for (const key of ['a 2', 'a']) {
      expect(closed, `${key} is still in work`).to.equal(false)
      await finish(key)
    }
    await closing
    add('c')
    queue.failed('c', 'refused', undefined)
    await time.pass(20_000)
    expect([started(), evaluated, queue.size]).to.deep.equal([['a snooze', 'a 2 snooze'], [], 0])
    queue.open()
    expect(queue.isBlocked('a'), 'it knows no failure of before').to.equal(false)
    add('a')
    expect(started()).to.have.length(3)
    await finish('a')
    await queue.close()
  })

  it('keeps no snooze waiting for wakes that are held up, and no worker either', () => {
    const room = new Set(['snooze', 'completion'])
    let ask = () => {}
    const pace = {
      isSlow: () => false,
      hasRoom: (priority: Priority) => room.has(priority),
      onRoom: (listener: () => void) => void (ask = listener),
    }
    const { add, started } = aQueue({ pace, concurrency: 2 })
    for (let i = 0; i < 20; i++) add(`wake ${i}`, due('wake'))
    add('sleep')
    expect(started()).to.deep.equal(['sleep snooze'])
    room.add('wake')
    ask()
    expect(started()).to.deep.equal(['sleep snooze', 'wake 0 wake'])
  })
})

describe('the delaying queue, of keys whose last write was slow,', () => {
  /** A queue of whose lanes the slow one has room for so many. */
  function withSlow(places = 0, slow = new Set(['sick 1', 'sick 2', 'sick 3'])) {
    let left = places
    const pace = {
      isSlow: (key: string) => slow.has(key),
      hasRoom: (_: unknown, isSlow: boolean) => !isSlow || left-- > 0,
      onRoom: () => {},
    }
    return { ...aQueue({ pace, concurrency: 32 }), slow }
  }

  it('lets them wait beside the others, not before them, and forgets them there', async () => {
    const { add, queue, started, finish } = withSlow()
    for (const key of ['sick 1', 'sick 2', 'web']) add(key)
    expect([started(), queue.depth]).to.deep.equal([['web snooze'], 2])
    queue.forget('sick 1')
    expect(queue.depth).to.equal(1)
    await finish('web')
    await queue.close()
    expect(queue.depth).to.equal(0)
  })

  it('hands out as many of them as their lane has places, the first first', () => {
    const { add, started } = withSlow(2)
    for (const key of ['sick 2', 'sick 1', 'sick 3']) add(key)
    expect(started()).to.deep.equal(['sick 2 snooze', 'sick 1 snooze'])
  })

  it('moves one to the other lane where its latest write was answered soon', () => {
    const { add, queue, started, slow } = withSlow()
    add('sick 1')
    slow.delete('sick 1')
    add('sick 1')
    expect([started(), queue.depth]).to.deep.equal([['sick 1 snooze'], 0])
  })
})

describe('a failure in the delaying queue', () => {
  for (const [title, why, random, seconds] of [
    [
      'for want of an answer is tried again after 100 ms, doubled to 2 s',
      'unavailable',
      1,
      [0.1, 0.2, 0.4, 0.8, 1.6, 2, 2],
    ],
    [
      'by a refusal is tried again after 10 s, doubled to 10 min',
      'refused',
      1,
      [10, 20, 40, 80, 160, 320, 600, 600],
    ],
    ['spreads its backoff over the second half', 'refused', 0, [5, 10, 20]],
  ] as const)
    it(title, async () => {
      const { queue, time, add, started } = aQueue({ random: () => random })
      const waited: number[] = []
      for (const _ of seconds) {
        const before = time.monotonic()
        queue.failed('a', why, SNOOZE)
        add('a')
        expect(started()).to.deep.equal([])
        await time.pass(time.sleeps.at(-1)!)
        while (queue.size > 0 && time.armed > 0) await time.pass(time.sleeps.at(-1)!)
        waited.push((time.monotonic() - before) / 1000)
      }
      expect(waited).to.deep.equal(seconds)
    })

  it('holds up what failed, and nothing else', async () => {
    const { queue, started, time, add } = aQueue({ concurrency: 8 })
    for (const key of ['same', 'edge', 'completion']) queue.failed(key, 'refused', SNOOZE)
    add('same', { ...SNOOZE })
    add('edge', due('snooze', 42))
    add('completion', due('completion'))
    expect(started()).to.deep.equal(['edge snooze', 'completion completion'])
    expect(queue.isBlocked('same')).to.equal(false)
    queue.failed('same', 'refused', due('wake', 42))
    await time.pass(10_000)
    add('same', due('wake', 42))
    expect(started().at(-1), 'a first failure').to.equal('same wake')
  })

  it('blocks its key where nobody knows what was tried, and evaluates it afterwards, whatever the clock says', async () => {
    const { queue, started, evaluated, time, add } = aQueue()
    queue.failed('a', 'refused', undefined)
    time.jump(-90 * MINUTE)
    expect(queue.isBlocked('a')).to.equal(true)
    add('a')
    await time.pass(9999)
    expect([started(), evaluated]).to.deep.equal([[], []])
    await time.pass(1)
    expect(evaluated).to.deep.equal(['a 10:30:10'])
    expect(queue.isBlocked('a')).to.equal(false)
  })

  it('for want of an answer ends with the return of the cluster, a refusal does not', () => {
    const { queue, started, add } = aQueue({ concurrency: 8 })
    queue.failed('away', 'unavailable', SNOOZE)
    queue.failed('refused', 'refused', SNOOZE)
    for (const key of ['unknown', 'away', 'refused']) queue.reachable(key)
    for (const key of ['away', 'refused']) add(key)
    expect(started()).to.deep.equal(['away snooze'])
  })
})
