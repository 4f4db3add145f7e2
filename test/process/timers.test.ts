import { expect } from 'chai'
import { Timers } from '../../src/process/timers.ts'
import { FakeTime } from '../support/fake-time.ts'
import { at, DAY, HOUR, MINUTE } from '../support/rules.ts'

const NOON = at('Mon 12:00')

/** Timers that note what fires: `web 12:00:01`. */
function someTimers() {
  const time = new FakeTime(NOON)
  const fired: string[] = []
  const hooks = { fired: (_key: string) => {} }
  const timers = new Timers(
    (key) => {
      fired.push(`${key} ${new Date(time.clock()).toISOString().slice(11, 19)}`)
      hooks.fired(key)
    },
    time.clock,
    time.later,
  )
  return { time, timers, fired, hooks }
}

describe('timers', () => {
  it('fire for each key at its instant, in order, with one armed timeout', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('b', NOON + 2000)
    timers.set('a', NOON + 1000)
    timers.set('c', NOON + 3000)
    expect(time.armed).to.equal(1)
    await time.pass(MINUTE)
    expect(fired).to.deep.equal(['a 12:00:01', 'b 12:00:02', 'c 12:00:03'])
    expect(time.armed).to.equal(0)
  })

  it('never sleep for longer than a minute, however far the instant is', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('a', NOON + 40 * DAY)
    await time.pass(3 * HOUR)
    expect(Math.max(...time.sleeps)).to.equal(MINUTE)
    expect(fired).to.deep.equal([])
    expect(time.armed).to.equal(1)
  })

  it('fire within a minute of a clock that jumps ahead', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('a', NOON + 5 * HOUR)
    await time.pass(1000)
    time.jump(6 * HOUR)
    await time.pass(MINUTE)
    expect(fired).to.have.length(1)
  })

  it('do not fire early when the clock is set back', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('a', NOON + 30_000)
    time.jump(-500)
    await time.pass(MINUTE)
    expect(fired).to.deep.equal(['a 12:00:30'])
  })

  it('fire for a key only at the latest instant it was given, and not at all for one that was deleted', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('a', NOON + 1000)
    timers.set('a', NOON + 5000)
    timers.set('b', NOON + 2000)
    timers.delete('b')
    expect([timers.at('a'), timers.at('b')]).to.deep.equal([NOON + 5000, undefined])
    await time.pass(MINUTE)
    expect(fired).to.deep.equal(['a 12:00:05'])
  })

  it('are armed anew for an instant before the one they sleep for', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('late', NOON + 50_000)
    timers.set('soon', NOON + 1000)
    await time.pass(1000)
    expect(fired).to.deep.equal(['soon 12:00:01'])
  })

  it('fire at once for an instant that has passed', async () => {
    const { time, fired, timers } = someTimers()
    timers.set('a', NOON - DAY)
    await time.pass(0)
    expect(fired).to.deep.equal(['a 12:00:00'])
  })

  it('leave the event loop to others in the middle of a wave', async () => {
    const time = new FakeTime(NOON)
    const fired: string[] = []
    let most = 0
    const later = (callback: () => void, milliseconds: number) =>
      time.later(() => {
        const before = fired.length
        callback()
        most = Math.max(most, fired.length - before)
      }, milliseconds)
    const timers = new Timers((key) => void fired.push(key), time.clock, later)
    for (let index = 0; index < 3000; index++) timers.set(`key ${index}`, NOON)
    await time.pass(0)
    expect([fired.length, most]).to.deep.equal([3000, 10])
  })

  it('let no key that is set again as it fires keep the others waiting', async () => {
    const { time, fired, hooks, timers } = someTimers()
    hooks.fired = (key) => {
      if (key === 'a' && fired.length < 5) timers.set('a', NOON)
    }
    timers.set('a', NOON)
    timers.set('b', NOON)
    await time.pass(0)
    expect(fired.slice(0, 2)).to.deep.equal(['a 12:00:00', 'b 12:00:00'])
  })

  it('go on after a listener that throws, and lose none that was due with it', async () => {
    const { time, fired, hooks, timers } = someTimers()
    hooks.fired = (key) => {
      if (key === 'bad') throw new Error('a fault')
    }
    timers.set('bad', NOON + 1000)
    timers.set('with it', NOON + 1000)
    timers.set('later', NOON + 2000)
    await time.pass(1500).catch(() => {})
    await time.pass(MINUTE)
    expect(fired.map((each) => each.slice(0, -9))).to.deep.equal(['bad', 'with it', 'later'])
  })

  it('hold no more after a year of changes than after a day', () => {
    const { time, timers } = someTimers()
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
