import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { Lifecycle, runUntilStopped } from '../../src/process/lifecycle.ts'
import type { Runnable } from '../../src/process/runnable.ts'

describe('parts that are started in order and stopped in reverse', () => {
  let calls: string[]

  beforeEach(() => {
    calls = []
  })

  const aPart = (name: string, { start = async () => {}, stop = async () => {} } = {}): Runnable => ({
    name,
    start: async () => {
      calls.push(`${name} starts`)
      await start()
      calls.push(`${name} is ready`)
    },
    stop: async () => {
      calls.push(`${name} stops`)
      await stop()
    },
  })
  const fails = (message: string) => async () => {
    throw new Error(message)
  }
  const outcome = (running: Promise<void>) =>
    running.then(
      () => 'done',
      ({ message }: Error) => message,
    )
  /** Its start waits until it is stopped, and then rejects or, with `succeeds`, resolves. */
  const aWaitingPart = (name: string, { succeeds = false } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const end = succeeds ? resolve : () => reject(new Error(`${name} was stopped`))
    return aPart(name, { start: () => promise, stop: async () => end() })
  }

  it('each waits for the one before it', async () => {
    const lifecycle = new Lifecycle([aPart('a'), aPart('b')])
    await lifecycle.start()
    await lifecycle.stop()
    expect(calls).to.deep.equal(['a starts', 'a is ready', 'b starts', 'b is ready', 'b stops', 'a stops'])
  })

  it('one that fails to start is stopped with those before it, and the rest is never started', async () => {
    const lifecycle = new Lifecycle([aPart('a'), aPart('b', { start: fails('no port') }), aPart('c')])
    expect(await outcome(lifecycle.start())).to.equal('no port')
    expect(calls).to.deep.equal(['a starts', 'a is ready', 'b starts', 'b stops', 'a stops'])
  })

  it('the failure to start is what is told, even if a part then fails to stop as well', async () => {
    const told: string[] = []
    const lifecycle = new Lifecycle(
      [aPart('a'), aPart('b', { stop: fails('stuck') }), aPart('c', { start: fails('no port') })],
      ({ name }, call, error) => told.push(`${name} ${call}: ${(error as Error).message}`),
    )
    expect(await outcome(lifecycle.start())).to.equal('no port')
    expect(calls.slice(-3)).to.deep.equal(['c stops', 'b stops', 'a stops'])
    expect(told).to.deep.equal(['c start: no port', 'b stop: stuck'])
  })

  it('one that fails to stop keeps no other running', async () => {
    const lifecycle = new Lifecycle([
      aPart('a'),
      aPart('b', { stop: fails('b is stuck') }),
      aPart('c', { stop: fails('c is stuck') }),
    ])
    await lifecycle.start()
    expect(await outcome(lifecycle.stop())).to.equal('c is stuck')
    expect(calls.slice(-3)).to.deep.equal(['c stops', 'b stops', 'a stops'])
  })

  it('a stop during the start stops what is still starting, and starts nothing more', async () => {
    const lifecycle = new Lifecycle([aPart('a'), aWaitingPart('b'), aPart('c')])
    const starting = outcome(lifecycle.start())
    await nextTurn()
    await lifecycle.stop()
    expect(calls).to.deep.equal(['a starts', 'a is ready', 'b starts', 'b stops', 'a stops'])
    expect(await starting).to.equal('stopped before everything had started')
  })

  it('a part that becomes ready after its stop is stopped again before those that it needs', async () => {
    const lifecycle = new Lifecycle([aPart('a'), aWaitingPart('b', { succeeds: true }), aPart('c')])
    const starting = outcome(lifecycle.start())
    await nextTurn()
    await lifecycle.stop()
    expect(calls.slice(2)).to.deep.equal(['b starts', 'b stops', 'b is ready', 'b stops', 'a stops'])
    expect(await starting).to.equal('stopped before everything had started')
  })

  it('are stopped once, however often that is asked for', async () => {
    const lifecycle = new Lifecycle([aPart('a')])
    await lifecycle.start()
    await Promise.all([lifecycle.stop(), lifecycle.stop()])
    await lifecycle.stop()
    expect(calls.filter((call) => call === 'a stops')).to.have.length(1)
  })

  describe('until a signal', () => {
    it('run, and are told to be ready once', async () => {
      const stop = new AbortController()
      const running = runUntilStopped([aPart('a'), aPart('b')], stop.signal, () => calls.push('ready'))
      await nextTurn()
      expect(calls.at(-1)).to.equal('ready')
      stop.abort()
      await running
      expect(calls.slice(-3)).to.deep.equal(['ready', 'b stops', 'a stops'])
    })

    it('that comes while one of them waits for its cluster stop as well', async () => {
      const stop = new AbortController()
      const running = runUntilStopped([aPart('a'), aWaitingPart('b')], stop.signal, () => calls.push('ready'))
      await nextTurn()
      stop.abort()
      await running
      expect(calls).to.deep.equal(['a starts', 'a is ready', 'b starts', 'b stops', 'a stops'])
    })

    it('that came before are not started', async () => {
      await runUntilStopped([aPart('a')], AbortSignal.abort(), () => calls.push('ready'))
      expect(calls).to.deep.equal([])
    })

    it('end with what one of them fails by, and have all stopped then', async () => {
      const running = runUntilStopped(
        [aPart('a', { stop: fails('stuck') }), aPart('b', { start: fails('no port') })],
        new AbortController().signal,
        () => calls.push('ready'),
      )
      expect(await outcome(running)).to.equal('no port')
      expect(calls.slice(-2)).to.deep.equal(['b stops', 'a stops'])
    })
  })
})
