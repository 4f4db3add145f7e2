import { expect } from 'chai'
import { Companions, type Due } from '../../src/process/companions.ts'
import { FakeTime, settled } from '../support/fake-time.ts'

/** Milliseconds. */
const PAUSE = 1000

/** A loop whose work on each key ends when the test says so; it is stopped after each test. */
function aLoop(options: Partial<ConstructorParameters<typeof Companions>[0]> = {}) {
  const time = new FakeTime(0)
  const works: { key: string; done: (wait?: number) => void; fail: (error: Error) => void }[] = []
  const log: string[] = []
  const loop = new Companions({
    name: 'a test',
    reconcile: (key, signal) => {
      log.push(`work ${key}`)
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      works.push({ key, done: resolve, fail: reject })
      return promise
    },
    failed: (error, key, times) => {
      log.push(`${(error as Error).message} ${key} ${times}`)
      return PAUSE * times
    },
    monotonic: time.monotonic,
    later: time.later,
    ...options,
  })
  const ended = async (how: 'done' | 'fail' = 'done', wait?: number) => {
    const work = works.shift()
    if (how === 'done') work?.done(wait)
    else work?.fail(new Error('no'))
    await settled()
  }
  return { loop, time, log, ended }
}

/** Started, with these keys changed. */
async function working(keys: readonly string[], options?: Parameters<typeof aLoop>[0]) {
  const rig = aLoop(options)
  await rig.loop.start()
  for (const key of keys) rig.loop.changed(key)
  await settled()
  return rig
}

describe('the loop that keeps objects right', () => {
  it('looks once at what has changed, and again if it changes meanwhile', async () => {
    const { loop, log, ended, time } = await working(['a'])
    loop.changed('a')
    loop.changed('a')
    await ended()
    expect(log).to.deep.equal(['work a', 'work a'])
    await ended()
    expect([log.length, time.armed]).to.deep.equal([2, 0])
  })

  it('never has a key in work twice, nor more keys than it may', async () => {
    const { log, ended, loop } = await working(['a', 'b', 'c'], { concurrency: 2 })
    loop.changed('a')
    await settled()
    expect(log).to.deep.equal(['work a', 'work b'])
    await ended()
    expect(log.slice(2)).to.deep.equal(['work c'])
    await ended()
    expect(log.slice(3)).to.deep.equal(['work a'])
  })

  it('hands out what is urgent first, and what is no longer due not at all', async () => {
    const due = new Map<string, Due>([
      ['a', { change: 'x' }],
      ['b', { change: 'x' }],
      ['c', { change: 'x', isUrgent: true }],
      ['d', { change: 'x' }],
    ])
    const { log, ended, loop } = await working(['a', 'b', 'c', 'd'], { due: (key) => due.get(key) })
    due.clear()
    loop.changed('b')
    due.set('d', { change: 'x' })
    for (let each = 0; each < 3; each++) await ended()
    expect(log).to.deep.equal(['work a', 'work c', 'work d'])
  })

  it('waits out a failure whatever changes, longer each time in a row', async () => {
    const { log, ended, loop, time } = await working(['a'])
    loop.changed('a')
    await ended('fail')
    loop.changed('a')
    await time.pass(PAUSE - 1)
    expect(log).to.deep.equal(['work a', 'no a 1'])
    await time.pass(1)
    await ended('fail')
    await time.pass(2 * PAUSE - 1)
    expect(log.slice(2)).to.deep.equal(['work a', 'no a 2'])
    await time.pass(1)
    await ended()
    loop.changed('a')
    await settled()
    await ended('fail')
    expect(log.slice(4)).to.deep.equal(['work a', 'work a', 'no a 1'])
  })

  it('tries another change at once, and forgets a failure of which nothing is left to do', async () => {
    let due: Due | undefined = { change: 'pause' }
    const { log, ended, loop, time } = await working(['a'], { due: () => due })
    await ended('fail')
    due = { change: 'unpause' }
    loop.changed('a')
    await settled()
    expect(log).to.deep.equal(['work a', 'no a 1', 'work a'])
    due = { change: 'pause' }
    loop.changed('a')
    await ended('fail')
    expect(log.slice(3), 'it changed meanwhile').to.deep.equal(['no a 1', 'work a'])
    await ended('fail')
    due = undefined
    loop.changed('a')
    expect(time.armed).to.equal(0)
  })

  it('tries again only once it changes where that is said', async () => {
    const { log, ended, loop, time } = await working(['a'], { failed: () => undefined })
    await ended('fail')
    expect(time.armed).to.equal(0)
    loop.changed('a')
    await settled()
    loop.changed('a')
    await ended('fail')
    expect(log).to.deep.equal(['work a', 'work a', 'work a'])
  })

  it('keeps a fault in looking at one key from all others, and tries that key later', async () => {
    let isFaulty = true
    const due = (key: string) => {
      if (key === 'odd' && isFaulty) throw new Error('a bug')
      return { change: 'x' }
    }
    const { log, loop, time, ended } = await working(['odd', 'a'], { due })
    loop.changed('odd')
    await ended()
    expect(log).to.deep.equal(['a bug odd 1', 'work a'])
    isFaulty = false
    await time.pass(PAUSE)
    expect(log.slice(2)).to.deep.equal(['work odd'])
  })

  it('looks again by itself when that is asked for, and sooner if it changes', async () => {
    const { log, loop, time, ended } = await working(['a'])
    await ended('done', 5000)
    await time.pass(5000)
    await ended('done', 5000)
    loop.changed('a', 250)
    loop.changed('a', 250)
    await time.pass(249)
    expect(log).to.have.length(2)
    await time.pass(1)
    expect(log).to.have.length(3)
    await ended()
    expect(time.armed).to.equal(0)
  })

  it('writes nothing while this replica may not, and then what is due', async () => {
    let leads = false
    const { log, time } = await working(['a'], { mayWrite: () => leads })
    await time.pass(10_000)
    expect(log).to.deep.equal([])
    expect(time.sleeps.length, 'ever more seldom').to.be.at.most(8)
    leads = true
    await time.pass(30_000)
    expect(log).to.deep.equal(['work a'])
  })

  it('does nothing before its start, ends what is in work when it is stopped, and can be started again', async () => {
    const { loop, log, time } = aLoop()
    loop.changed('a')
    await loop.start()
    loop.changed('b')
    loop.changed('c')
    await settled()
    await loop.stop()
    loop.changed('d')
    await time.pass(60_000)
    expect(log).to.deep.equal(['work b'])
    await loop.start()
    loop.changed('b')
    await settled()
    expect(log).to.deep.equal(['work b', 'work b'])
    await loop.stop()
  })

  it('tells when nothing is in work any more', async () => {
    const { loop, ended } = await working(['a', 'b'])
    let isIdle = false
    const idle = loop.idle().then(() => (isIdle = true))
    await ended()
    expect(isIdle).to.equal(false)
    await ended()
    await idle
  })
})
