import { expect } from 'chai'
import { DelayingQueue } from '../../../src/service/controller/delaying-queue.ts'
import { Timers } from '../../../src/service/process/timers.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { DAY, HOUR, MINUTE } from '../../support/rules.ts'
import { aQueue, NOON, UNPACED } from './a-queue.ts'
import { Told } from './told.ts'

describe('timers of the delaying queue', () => {
  it('evaluate each key at its instant, in order, with one armed timeout', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('b', NOON + 2000)
    queue.addAfter('a', NOON + 1000)
    queue.addAfter('c', NOON + 3000)
    expect(time.armed).to.equal(1)
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal(['a 12:00:01', 'b 12:00:02', 'c 12:00:03'])
    expect(time.armed).to.equal(0)
  })

  it('never sleep for longer than a minute, however far the instant is', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('a', NOON + 40 * DAY)
    await time.pass(3 * HOUR)
    expect(Math.max(...time.sleeps)).to.equal(MINUTE)
    expect(evaluated).to.deep.equal([])
    expect(time.armed).to.equal(1)
  })

  it('fire within a minute of a clock that jumps ahead', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('a', NOON + 5 * HOUR)
    await time.pass(1000)
    time.jump(6 * HOUR)
    await time.pass(MINUTE)
    expect(evaluated).to.have.length(1)
  })

  it('fire at once for a key that was evaluated just before the clock was set back: its instant is of the wrong time', async () => {
    const { time, evaluated, queue } = aQueue()
    time.jump(365 * DAY)
    queue.addAfter('other', time.clock() + HOUR)
    const wrong = time.clock() + HOUR
    time.jump(-365 * DAY)
    queue.addAfter('a', wrong)
    await time.pass(0)
    expect(evaluated.map((each) => each.slice(0, -9)).toSorted()).to.deep.equal(['a', 'other'])
  })

  it('fire within a minute of a clock that is set back, once: what they were set for came of a wrong clock', async () => {
    const { time, evaluated, queue, hooks } = aQueue()
    hooks.evaluate = (key) => queue.addAfter(key, time.clock() < NOON ? NOON : undefined)
    time.jump(365 * DAY)
    for (const key of ['a', 'b']) queue.addAfter(key, NOON + 365 * DAY + HOUR)
    await time.pass(10 * MINUTE)
    expect(evaluated).to.deep.equal([])
    time.jump(-365 * DAY - HOUR)
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal(['a 11:11:00', 'b 11:11:00'])
    await time.passTo(NOON - 1)
    expect(evaluated).to.have.length(2)
    await time.pass(1)
    expect(evaluated).to.have.length(4)
  })

  it('do not fire early when the clock is corrected by less than a second', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('a', NOON + 30_000)
    time.jump(-500)
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal(['a 12:00:30'])
  })

  it('tell of no lateness that a clock made by jumping ahead', async () => {
    const { time, jobs, hooks, add, queue } = aQueue()
    hooks.evaluate = (key) => add(key)
    queue.addAfter('a', NOON + HOUR)
    time.jump(DAY)
    await time.pass(MINUTE)
    expect(jobs.map(({ dueSince }) => dueSince)).to.deep.equal([MINUTE])
  })

  it('fire for a key only at the latest instant it was given, and not at all for one that was dropped', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('a', NOON + 1000)
    queue.addAfter('a', NOON + 5000)
    queue.addAfter('b', NOON + 2000)
    queue.drop('b')
    queue.addAfter('c', NOON + 2000)
    queue.addAfter('c', undefined)
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal(['a 12:00:05'])
  })

  it('stay when a key is forgotten: only what is due is', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('a', NOON + 1000)
    queue.forget('a')
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal(['a 12:00:01'])
  })

  it('are armed anew for an instant before the one they sleep for', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('late', NOON + 50_000)
    queue.addAfter('soon', NOON + 1000)
    await time.pass(1000)
    expect(evaluated).to.deep.equal(['soon 12:00:01'])
  })

  it('fire at once for an instant that has passed', async () => {
    const { time, evaluated, queue } = aQueue()
    queue.addAfter('a', NOON - DAY)
    await time.pass(0)
    expect(evaluated).to.deep.equal(['a 12:00:00'])
  })

  it('leave a key in work to its worker', async () => {
    const { add, time, evaluated, queue, finish } = aQueue()
    add('a')
    queue.addAfter('a', NOON + 1000)
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal([])
    queue.addAfter('a', NOON + 2 * MINUTE)
    await finish('a')
    await time.pass(MINUTE)
    expect(evaluated).to.deep.equal(['a 12:02:00'])
  })

  it('leave the event loop to others in the middle of a wave', async () => {
    const time = new FakeTime(NOON)
    const { clock, monotonic } = time
    const fired: string[] = []
    let most = 0
    const later = (callback: () => void, milliseconds: number) =>
      time.later(() => {
        const before = fired.length
        callback()
        most = Math.max(most, fired.length - before)
      }, milliseconds)
    const handlers = {
      evaluate: (key: string) => void fired.push(key),
      work: () => Promise.resolve(),
      restsUntil: () => undefined,
    }
    const options = { clock, monotonic, later, concurrency: 1, pace: UNPACED, observer: new Told() }
    const queue = new DelayingQueue(handlers, options)
    queue.open()
    for (let i = 0; i < 3000; i++) queue.addAfter(`key ${i}`, NOON + 1000)
    while (fired.length < 3000) await time.pass(1000)
    expect(most).to.be.within(1, 50)
  })

  it('let no key that is set again as it fires keep the others waiting', async () => {
    const { time, evaluated, hooks, queue } = aQueue()
    hooks.evaluate = (key) => {
      if (key === 'a' && evaluated.length < 5) queue.addAfter('a', NOON)
    }
    queue.addAfter('a', NOON)
    queue.addAfter('b', NOON)
    await time.pass(0)
    expect(evaluated.slice(0, 2)).to.deep.equal(['a 12:00:00', 'b 12:00:00'])
  })

  it('go on after an evaluation that throws, and lose none that was due with it', async () => {
    const { time, evaluated, hooks, queue } = aQueue()
    hooks.evaluate = (key) => {
      if (key === 'bad') throw new Error('a fault')
    }
    queue.addAfter('bad', NOON + 1000)
    queue.addAfter('with it', NOON + 1000)
    queue.addAfter('later', NOON + 2000)
    await time.pass(1500).catch(() => {})
    await time.pass(MINUTE)
    expect(evaluated.map((each) => each.slice(0, -9))).to.deep.equal(['bad', 'with it', 'later'])
  })

  it('hold no more after a year of changes than after a day', async () => {
    const time = new FakeTime(NOON)
    const timers = new Timers(() => {}, time.clock, time.later)
    for (let hour = 0; hour < 20_000; hour++) {
      for (let key = 0; key < 5; key++) timers.set(`key ${key}`, NOON + (hour % 1000) * HOUR + key + 1)
    }
    expect(timers.size.keys).to.equal(5)
    expect(timers.size.entries).to.be.at.most(65)
    expect(time.armed).to.equal(1)
    timers.clear()
    expect(time.armed).to.equal(0)
    expect(timers.size).to.deep.equal({ keys: 0, entries: 0 })
  })

  it('use the timeouts of the system where no others are given', async () => {
    const fired = await new Promise<string>((resolve) =>
      new Timers(resolve, Date.now).set('a', Date.now() + 1),
    )
    expect(fired).to.equal('a')
  })
})
