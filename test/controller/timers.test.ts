import { expect } from 'chai'
import { Timers } from '../../src/controller/timers.ts'
import { at, DAY, HOUR, MINUTE } from '../support/rules.ts'
import { FakeTime } from './fake-time.ts'

const NOON = at('Mon 12:00')

function timers() {
  const time = new FakeTime(NOON)
  const rung: string[] = []
  const clockTime = () => new Date(time.clock()).toISOString().slice(11, 19)
  const made = new Timers((key) => rung.push(`${key} ${clockTime()}`), time.clock, time.later)
  return { time, rung, timers: made }
}

describe('timers', () => {
  it('ring each key at its instant, in order, with one armed timeout', async () => {
    const { time, rung, timers: them } = timers()
    them.set('b', NOON + 2000)
    them.set('a', NOON + 1000)
    them.set('c', NOON + 3000)
    expect(time.armed).to.equal(1)
    await time.pass(MINUTE)
    expect(rung).to.deep.equal(['a 12:00:01', 'b 12:00:02', 'c 12:00:03'])
    expect(time.armed).to.equal(0)
  })

  it('never sleep for longer than a minute, however far the instant is', async () => {
    const { time, rung, timers: them } = timers()
    them.set('a', NOON + 40 * DAY)
    await time.pass(3 * HOUR)
    expect(Math.max(...time.sleeps)).to.equal(MINUTE)
    expect(rung).to.deep.equal([])
    expect(time.armed).to.equal(1)
  })

  it('ring within a minute of a clock that jumps ahead', async () => {
    const { time, rung, timers: them } = timers()
    them.set('a', NOON + 5 * HOUR)
    await time.pass(1000)
    time.jump(6 * HOUR)
    await time.pass(MINUTE)
    expect(rung).to.have.length(1)
  })

  it('do not ring early when the clock jumps back', async () => {
    const { time, rung, timers: them } = timers()
    them.set('a', NOON + 30_000)
    time.jump(-HOUR)
    await time.pass(HOUR + 29_999)
    expect(rung).to.deep.equal([])
    await time.pass(1)
    expect(rung).to.deep.equal(['a 12:00:30'])
  })

  it('ring a key only at the latest instant it was given, and not at all when it was taken out', async () => {
    const { time, rung, timers: them } = timers()
    them.set('a', NOON + 1000)
    them.set('a', NOON + 5000)
    them.set('b', NOON + 2000)
    them.delete('b')
    await time.pass(MINUTE)
    expect(rung).to.deep.equal(['a 12:00:05'])
  })

  it('are armed anew for an instant before the one they sleep for', async () => {
    const { time, rung, timers: them } = timers()
    them.set('late', NOON + 50_000)
    them.set('soon', NOON + 1000)
    await time.pass(1000)
    expect(rung).to.deep.equal(['soon 12:00:01'])
  })

  it('ring at once for an instant that has passed', async () => {
    const { time, rung, timers: them } = timers()
    them.set('a', NOON - DAY)
    await time.pass(0)
    expect(rung).to.deep.equal(['a 12:00:00'])
  })

  it('leave the event loop to others in the middle of a wave', async () => {
    const time = new FakeTime(NOON)
    let ringing = 0
    let most = 0
    const later = (callback: () => void, milliseconds: number) =>
      time.later(() => {
        ringing = 0
        callback()
        most = Math.max(most, ringing)
      }, milliseconds)
    const them = new Timers(() => ringing++, time.clock, later)
    let rung = 0
    for (let i = 0; i < 3000; i++) them.set(`key ${i}`, NOON + 1000)
    for (; them.size.keys > 0; rung++) await time.pass(1000)
    expect(most).to.be.within(1, 50)
  })

  it('a key that is set again as it rings does not keep the others waiting', async () => {
    const time = new FakeTime(NOON)
    const rung: string[] = []
    const them: Timers = new Timers(
      (key) => {
        rung.push(key)
        if (key === 'a' && rung.length < 5) them.set('a', NOON)
      },
      time.clock,
      time.later,
    )
    them.set('a', NOON)
    them.set('b', NOON)
    await time.pass(0)
    expect(rung.slice(0, 2)).to.deep.equal(['a', 'b'])
  })

  it('go on after a listener that throws', async () => {
    const time = new FakeTime(NOON)
    const rung: string[] = []
    const them = new Timers(
      (key) => {
        if (key === 'bad') throw new Error('a fault')
        rung.push(key)
      },
      time.clock,
      time.later,
    )
    them.set('bad', NOON + 1000)
    them.set('good', NOON + 2000)
    await time.pass(1500).catch(() => {})
    await time.pass(MINUTE)
    expect(rung).to.deep.equal(['good'])
  })

  it('hold no more after a year of changes than after a day', async () => {
    const { time, timers: them } = timers()
    for (let hour = 0; hour < 20_000; hour++) {
      for (let key = 0; key < 5; key++) them.set(`key ${key}`, NOON + (hour % 1000) * HOUR + key + 1)
    }
    expect(them.size.keys).to.equal(5)
    expect(them.size.entries).to.be.at.most(65)
    expect(time.armed).to.equal(1)
  })

  it('that are cleared leave no timeout', () => {
    const { time, timers: them } = timers()
    them.set('a', NOON + 1000)
    them.clear()
    expect(time.armed).to.equal(0)
    expect(them.size).to.deep.equal({ keys: 0, entries: 0 })
  })

  it('use the timeouts of the system where no others are given', async () => {
    const rung = await new Promise<string>((resolve) =>
      new Timers(resolve, Date.now).set('a', Date.now() + 1),
    )
    expect(rung).to.equal('a')
  })
})
