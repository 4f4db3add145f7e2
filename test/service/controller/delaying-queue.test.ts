import type { Priority } from '../../../src/kubernetes/ports.ts'
import { expect } from 'chai'
import { settled } from '../../support/fake-time.ts'
import { aQueue } from './a-queue.ts'

describe('the delaying queue', () => {
  it('hands out wakes before snoozes before completions, and of those the oldest first', async () => {
    const { add, started, running, finish } = aQueue()
    add('first', 'snooze')
    add('done', 'completion')
    add('sleep 1', 'snooze')
    add('sleep 2', 'snooze')
    add('wake', 'wake')
    while (running.size > 0) await finish([...running.keys()][0]!)
    expect(started.slice(1)).to.deep.equal([
      'wake wake',
      'sleep 1 snooze',
      'sleep 2 snooze',
      'done completion',
    ])
  })

  it('works on as many keys at once as it may, and on no key twice at once', async () => {
    const { add, running, finish } = aQueue({ concurrency: 4 })
    for (let i = 0; i < 10; i++) add(`key ${i % 6}`)
    expect([...running.keys()]).to.have.length(4)
    await finish('key 0')
    expect([...running.keys()]).to.have.length(4)
  })

  it('holds a key once, under its newest task, from when it first came', async () => {
    const { add, time, told, started, jobs, finish } = aQueue()
    await time.pass(1000)
    add('busy', 'wake')
    add('a', 'completion')
    await time.pass(3000)
    add('a', 'wake', 7)
    add('a', 'wake', 8)
    expect(told.depth).to.equal(1)
    await finish('busy')
    expect(started).to.deep.equal(['busy wake', 'a wake'])
    expect(jobs[1]?.task.dueAt).to.equal(8)
    expect(told.waits).to.deep.equal([0, 3])
  })

  it('works again on what was added while it was in work, once', async () => {
    const { add, started, finish } = aQueue()
    add('a', 'snooze')
    add('a', 'completion')
    add('a', 'wake')
    expect(started).to.have.length(1)
    await finish('a')
    expect(started).to.deep.equal(['a snooze', 'a wake'])
    await finish('a')
    expect(started).to.have.length(2)
  })

  it('forgets what has nothing due, also what was to be worked on again', async () => {
    const { add, queue, told, started, finish } = aQueue()
    add('a')
    add('b')
    add('a')
    queue.forget('a')
    queue.forget('b')
    expect(told.depth).to.equal(0)
    await finish('a')
    expect(started).to.deep.equal(['a snooze'])
  })

  it('knows which keys are in work', async () => {
    const { add, queue, finish } = aQueue()
    const inWork = (key: string) => queue.jobOf(key) !== undefined
    add('a')
    add('b')
    expect([inWork('a'), inWork('b')]).to.deep.equal([true, false])
    await finish('a')
    expect([inWork('a'), inWork('b')]).to.deep.equal([false, true])
  })

  it('delays a due task, and evaluates its key when the delay has ended', async () => {
    const { add, queue, time, started, evaluated, delays } = aQueue()
    delays.set('a', 5000)
    add('a')
    expect(queue.size, 'only its timer').to.equal(0)
    await time.pass(4999)
    expect([started, evaluated]).to.deep.equal([[], []])
    await time.pass(1)
    expect([started, evaluated]).to.deep.equal([[], ['a 12:00:05']])
    add('a')
    expect(started).to.deep.equal(['a snooze'])
    queue.forget('a')
    expect(time.armed).to.equal(0)
  })

  it('takes nothing before it is opened, and nothing after it is closed', async () => {
    const { add, queue, time, started, evaluated } = aQueue({ open: false })
    const fill = () => {
      add('a', 'wake')
      queue.failed('a', 'refused', undefined)
    }
    fill()
    queue.open()
    expect([queue.size, queue.depth]).to.deep.equal([0, 0])
    await queue.close()
    fill()
    await time.pass(20_000)
    expect([started, evaluated, time.armed]).to.deep.equal([[], [], 0])
  })

  it('closes when what is in work has ended, and forgets what waits', async () => {
    const { add, queue, told, time, started, evaluated, finish } = aQueue({ concurrency: 2 })
    for (const key of ['a', 'a 2', 'b']) add(key, 'wake')
    queue.failed('c', 'refused', undefined)
    let closed = false
    const closing = queue.close().then(() => (closed = true))
    await settled()
    expect(closed).to.equal(false)
    expect([told.depth, time.armed]).to.deep.equal([0, 0])
    await finish('a 2')
    expect(closed, 'the other is still in work').to.equal(false)
    await finish('a')
    await closing
    await time.pass(20_000)
    expect([started, evaluated, queue.size]).to.deep.equal([['a wake', 'a 2 wake'], [], 0])
  })

  it('may be opened again, and knows no failure of before', async () => {
    const { add, queue, started, finish } = aQueue()
    add('a', 'wake')
    queue.failed('a', 'refused', undefined)
    const closing = queue.close()
    await finish('a')
    await closing
    queue.open()
    expect(queue.isBlocked('a')).to.equal(false)
    add('a', 'wake')
    expect(started).to.deep.equal(['a wake', 'a wake'])
    await finish('a')
    await queue.close()
  })
})

describe('the delaying queue, paced,', () => {
  /** Room for some priorities, as a test says. */
  function aPace(...priorities: Priority[]) {
    const room = new Set(priorities)
    let listener = () => {}
    const pace = {
      isSlow: () => false,
      hasRoom: (priority: Priority) => room.has(priority),
      onRoom: (called: () => void) => {
        listener = called
      },
    }
    return { pace, room, ask: () => listener() }
  }

  it('hands a key out when there is room for its write, and not before', () => {
    const { pace, room, ask } = aPace()
    const { add, started } = aQueue({ pace, concurrency: 8 })
    add('a', 'snooze')
    add('b', 'snooze')
    expect(started).to.deep.equal([])
    room.add('snooze')
    ask()
    expect(started).to.deep.equal(['a snooze', 'b snooze'])
  })

  it('keeps no snooze waiting for wakes that are held up, and no worker either', () => {
    const { pace, room, ask } = aPace('snooze', 'completion')
    const { add, started } = aQueue({ pace, concurrency: 2 })
    for (let i = 0; i < 20; i++) add(`wake ${i}`, 'wake')
    add('sleep', 'snooze')
    expect(started).to.deep.equal(['sleep snooze'])
    room.add('wake')
    ask()
    expect(started).to.deep.equal(['sleep snooze', 'wake 0 wake'])
  })

  it('sends the most urgent first when there is room again, whenever it came', async () => {
    const { pace, room, ask } = aPace()
    const { add, started, finish } = aQueue({ pace })
    add('sleep', 'snooze')
    add('wake', 'wake')
    room.add('snooze').add('wake')
    ask()
    await finish('wake')
    expect(started).to.deep.equal(['wake wake', 'sleep snooze'])
  })
})

describe('the delaying queue, of keys whose last write was slow,', () => {
  const sick = Array.from({ length: 1000 }, (_, index) => `sick-${index}`)

  /** A queue that notes what it hands out, and whether there is room in either lane. */
  function withSlow(slow: ReadonlySet<string>) {
    const room = { slow: 0, ordinary: Number.POSITIVE_INFINITY }
    const pace = {
      isSlow: (key: string) => slow.has(key),
      hasRoom: (_: unknown, isSlow: boolean) => room[isSlow ? 'slow' : 'ordinary']-- > 0,
      onRoom: () => {},
    }
    return { ...aQueue({ pace, concurrency: 32 }), room }
  }

  it('lets them wait beside the others, not before them', () => {
    const { add, queue, started } = withSlow(new Set(sick))
    for (const key of [...sick, 'web', 'api']) add(key)
    expect(started).to.deep.equal(['web snooze', 'api snooze'])
    expect(queue.depth).to.equal(1000)
  })

  it('hands out as many of them as their lane has places, the first first', () => {
    const { add, started, room } = withSlow(new Set(sick))
    room.slow = 2
    for (const key of sick) add(key)
    expect(started).to.deep.equal(['sick-0 snooze', 'sick-1 snooze'])
  })

  it('forgets one that waits there', async () => {
    const { add, queue } = withSlow(new Set(sick))
    add('sick-0')
    queue.forget('sick-0')
    expect(queue.depth).to.equal(0)
    add('sick-1')
    await queue.close()
    expect(queue.depth).to.equal(0)
  })

  it('moves one to the other lane where its latest write was answered soon', () => {
    const slow = new Set(['web'])
    const { add, queue, started } = withSlow(slow)
    add('web')
    slow.delete('web')
    add('web')
    expect([started, queue.depth]).to.deep.equal([['web snooze'], 0])
  })
})
