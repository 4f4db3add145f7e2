import { expect } from 'chai'
import { ClusterRefusal, refusalOf } from '../../src/kubernetes/failures.ts'
import { Slots } from '../../src/kubernetes/slots.ts'
import { WriteGate } from '../../src/kubernetes/write-gate.ts'
import type { WritePriority } from '../../src/kubernetes/ports.ts'

/** Tasks that note their name and end on command. */
function tasks(gate: WriteGate) {
  const began: string[] = []
  const ends: (() => void)[] = []
  const run = (priority: WritePriority, name: string, signal?: AbortSignal) =>
    gate.run(
      priority,
      () => {
        began.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      },
      { key: name, signal },
    )
  /** Ends the task that began at this place of the order. */
  const end = async (index: number) => {
    ends[index]?.()
    await settle()
  }
  return { began, end, run }
}

const WEB = { key: 'deployments/shop/web' }

/** With so many places for all together. */
function narrow(places: number) {
  const all = new Slots(places, 0)
  const gate = new WriteGate({ places: { requests: all, controller: all, slowRequests: all, slow: all } })
  return { gate, ...tasks(gate) }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Resolves when the gate tells that it has room again. */
function room(gate: WriteGate, priority: WritePriority = 'snooze'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate.onRoom(() => gate.hasRoom(priority) && resolve())
  return promise
}

describe('the write gate', () => {
  let now: number
  let gate: WriteGate

  beforeEach(() => {
    now = 0
    gate = new WriteGate({ now: () => now })
  })

  it('lets requests go before wakes, snoozes and completions, and in each the first first', async () => {
    const { began, end, run } = narrow(1)
    const priorities = ['completion', 'snooze', 'wake', 'request', 'completion', 'snooze', 'wake', 'request']
    const order = ['snooze', ...priorities] as WritePriority[]
    const all = order.map((priority, index) => run(priority, `${priority}${index}`))
    await settle()
    for (let index = 0; index < all.length; index++) await end(index)
    await Promise.all(all)
    const sorted = [
      'request4',
      'request8',
      'wake3',
      'wake7',
      'snooze2',
      'snooze6',
      'completion1',
      'completion5',
    ]
    expect(began).to.deep.equal(['snooze0', ...sorted])
  })

  it('holds what is in flight to its bound, and a failing task frees its place', async () => {
    const { gate, began, end, run } = narrow(2)
    const failing = gate.run('snooze', () => Promise.reject(new Error('refused')), WEB)
    for (const name of ['a', 'b', 'c']) void run('snooze', name)
    await failing.catch(() => {})
    await settle()
    expect(began).to.deep.equal(['a', 'b'])
    await end(0)
    expect(began).to.deep.equal(['a', 'b', 'c'])
  })

  for (const { what, limits, order, early, at } of [
    {
      what: 'holds all writes to a rate',
      limits: { writesPerSecond: 20 },
      order: ['snooze 1', 'snooze 2', 'snooze 3'],
      early: ['snooze 1', 'snooze 2'],
      at: 50,
    },
    {
      what: 'paces wakes without holding up snoozes and requests',
      limits: { wakesPerSecond: 1 },
      order: ['wake 1', 'snooze 2', 'request 3', 'wake 4'],
      early: ['wake 1', 'snooze 2', 'request 3'],
      at: 1000,
    },
  ])
    it(what, async () => {
      const { began, end, run } = tasks(new WriteGate({ ...limits, now: () => now }))
      for (const name of order) void run(name.split(' ')[0] as WritePriority, name)
      await settle()
      expect(began).to.deep.equal(early)
      now = at
      await end(0)
      expect(began).to.deep.equal(order)
    })

  describe('while writes hang', () => {
    const hung = () => new ClusterRefusal('CLUSTER_UNAVAILABLE', 'no answer', { status: 0, noAnswer: 'hung' })
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}`)

    /** A write of this key that takes so long and fails by this, or is done. */
    const write = (key: string, took = 0, error?: Error) => {
      const task = async () => {
        now += took
        if (error) throw error
      }
      return gate.run('snooze', task, { key }).catch(() => {})
    }
    /** Its last write hung. */
    const slow = (key: string) => write(key, 0, hung())

    it('lets requests go whatever the controller has in flight, and the other way round', async () => {
      const { began, run } = tasks(gate)
      for (const name of names('sick', 30)) void run('snooze', name)
      for (; now < 20_000; now += 100) gate.hasRoom('snooze')
      await settle()
      expect(began, 'five, and twelve that were slow').to.have.length(17)
      void run('request', 'asked')
      await settle()
      expect(began.at(-1)).to.equal('asked')
      const other = new WriteGate({ now: () => now })
      const requests = tasks(other)
      for (const name of names('asked', 30)) void requests.run('request', name)
      expect(other.hasRoom('snooze')).to.equal(true)
    })

    it('gives the place of one that takes longer than a second to another', async () => {
      const { began, run } = tasks(gate)
      for (const name of names('sick', 6)) void run('snooze', name)
      await settle()
      expect(began).to.have.length(5)
      now = 999
      expect(gate.hasRoom('snooze')).to.equal(false)
      now = 1000
      gate.hasRoom('snooze')
      await settle()
      expect(began).to.have.length(6)
    })

    it('calls who was turned away once the first has become slow, although none has ended', async () => {
      const real = new WriteGate()
      const { run } = tasks(real)
      const heard = room(real)
      for (const name of names('sick', 5)) void run('snooze', name)
      expect(real.hasRoom('snooze')).to.equal(false)
      await heard
    })

    it('gives keys whose last write hung two places of their own, and 35 s instead of 5', async () => {
      const limits: (number | undefined)[] = []
      const sick = names('sick', 3)
      for (const key of sick) await slow(key)
      for (const key of [...sick, 'web'])
        void gate.run(
          'snooze',
          async (limit) => {
            limits.push(limit)
            await new Promise(() => {})
          },
          { key },
        )
      await settle()
      expect(limits).to.deep.equal([35_000, 35_000, 5000])
      expect([gate.hasRoom('snooze', true), gate.hasRoom('snooze', false)]).to.deep.equal([false, true])
    })

    it('gives requests of such keys two places, too, so that the others are answered', async () => {
      const { began, run } = tasks(gate)
      const sick = names('sick', 11)
      for (const key of sick) await slow(key)
      for (const key of [...sick.slice(0, 10), 'web']) void run('request', key)
      await settle()
      expect(began).to.deep.equal(['sick0', 'sick1', 'web'])
      const refused = await run('request', 'sick10').catch((error: unknown) => error)
      expect(refused, 'each would hold the place of an answer').to.include({ code: 'CLUSTER_UNAVAILABLE' })
    })

    it('widens their lane while its writes succeed, to eight places, and back to two at the first that hangs', async () => {
      const places = () => {
        const { began, run } = tasks(gate)
        for (const name of sick) void run('snooze', name)
        return settle().then(() => began.length)
      }
      const sick = names('sick', 20)
      for (const key of sick) await slow(key)
      // Slower than any ordinary write may be, so that they stay in their lane.
      for (const key of sick.slice(0, 3)) await write(key, 20_000)
      expect(await places()).to.equal(5)
      gate = new WriteGate({ now: () => now })
      for (const key of sick) await slow(key)
      for (const key of sick) await write(key, 20_000)
      expect(await places()).to.equal(8)
      gate = new WriteGate({ now: () => now })
      for (const key of sick) await slow(key)
      for (const key of sick) await write(key, 20_000)
      await slow('sick0')
      expect(await places()).to.equal(2)
    })

    it('gives ordinary writes half as much time again as what has lately succeeded took, ten seconds at most', async () => {
      const limitNow = async () => {
        let limit: number | undefined
        await gate.run('snooze', async (given) => void (limit = given), { key: 'healthy' })
        return limit
      }
      await slow('web')
      expect(await limitNow()).to.equal(5000)
      await write('web', 6000)
      expect(await limitNow(), 'it was slow, and did not hang').to.equal(9000)
      await write('api', 6000)
      expect([gate.isSlow('web'), gate.isSlow('api')], 'so it needs no lane').to.deep.equal([false, false])
      await write('web', 20_000)
      expect(await limitNow()).to.equal(10_000)
      await slow('other')
      expect(await limitNow(), 'one hung').to.equal(5000)
      await write('web', 6000)
      now += 600_000
      expect(await limitNow(), 'long ago').to.equal(5000)
    })

    it('limits no request, whose caller waits as for any call', async () => {
      await slow('web')
      let limit: number | undefined = 1
      await gate.run('request', async (given) => void (limit = given), { key: 'web' })
      expect(limit).to.equal(undefined)
    })

    it('remembers a key as slow until a write of it is answered soon', async () => {
      await slow('web')
      expect(gate.isSlow('web')).to.equal(true)
      await write('web', 16_000)
      expect(gate.isSlow('web'), 'it was answered, but late').to.equal(true)
      await write('web')
      expect(gate.isSlow('web')).to.equal(false)
    })

    it('takes no key for slow where the cluster told it to wait, or does not answer at all', async () => {
      await write('web', 7000, refusalOf('patch', 429, {}))
      expect(gate.isSlow('web'), 'told to wait').to.equal(false)
      const late = { status: 0, noAnswer: 'timeout' } as const
      await write('web', 5000, new ClusterRefusal('CLUSTER_UNAVAILABLE', 'none', late))
      expect(gate.isSlow('web'), 'no answer').to.equal(false)
    })

    it('takes what an admission webhook fails over for no fault of the cluster', async () => {
      const message = 'Internal error occurred: failed calling webhook "hangs.example.com": deadline exceeded'
      for (let time = 0; time < 100; time++) await write('web', 0, refusalOf('patch', 500, { message }))
      expect(gate.hasRoom('wake')).to.equal(true)
    })
  })

  describe('while the cluster answers every write by a fault of its own (its etcd is away)', () => {
    const fail = (on: WriteGate, status = 500, priority: WritePriority = 'request') =>
      on.run(priority, () => Promise.reject(refusalOf('patch', status, {})), WEB).catch(() => {})
    const faults = async (on: WriteGate, times: number) => {
      for (let time = 0; time < times; time++) await fail(on)
    }

    it('rests in between, however many keys wait, and goes on with the first that is answered', async () => {
      let tried = 0
      for (; now < 60_000; now += 10)
        while (gate.hasRoom('wake') && tried < 10_000) {
          tried++
          await fail(gate, 500, 'wake')
        }
      expect(tried).to.be.within(60, 200)
      now += 1000
      await gate.run('wake', async () => {}, WEB)
      await faults(gate, 19)
      expect(gate.hasRoom('snooze')).to.equal(true)
    })

    it('tells when the rest has ended', async () => {
      const real = new WriteGate()
      const heard = room(real)
      await faults(real, 20)
      expect(real.hasRoom('snooze')).to.equal(false)
      await heard
    })

    it('lets requests through, and takes no refusal for such a fault', async () => {
      await faults(gate, 19)
      await fail(gate, 422, 'snooze')
      await faults(gate, 19)
      expect(gate.hasRoom('snooze')).to.equal(true)
      await faults(gate, 1)
      expect([gate.hasRoom('snooze'), gate.hasRoom('request')]).to.deep.equal([false, true])
    })
  })

  it('goes on by itself when the rate allows', async () => {
    const paced = new WriteGate({ wakesPerSecond: 200, writesPerSecond: 400 })
    const names: number[] = []
    const numbers = Array.from({ length: 60 }, (_, index) => index)
    await Promise.all(numbers.map((index) => paced.run('wake', async () => names.push(index), WEB)))
    expect(names).to.deep.equal(numbers)
  })

  it('takes one signal of thousands of callers', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const { signal } = new AbortController()
    const wide = new WriteGate()
    await Promise.all(Array.from({ length: 3000 }, () => wide.run('snooze', settle, { ...WEB, signal })))
    process.off('warning', listen)
    expect(warnings).to.deep.equal([])
  })

  it('lets a caller who gives up leave, in whatever order', async () => {
    const { began, end, run } = narrow(1)
    const first = run('snooze', 'first')
    const leaving = new AbortController()
    const reason = (call: Promise<unknown>) => call.catch((error: Error) => error.message)
    const left = run('snooze', 'left', leaving.signal)
    const last = run('snooze', 'last')
    leaving.abort(new Error('gone'))
    expect(await reason(left)).to.equal('gone')
    expect(await reason(run('snooze', 'late', leaving.signal))).to.equal('gone')
    await end(0)
    await first
    await end(1)
    await last
    expect(began).to.deep.equal(['first', 'last'])
  })

  describe('asked for room', () => {
    /** A gate of one place; its listener notes the room that it finds each time. */
    function listening() {
      const one = narrow(1)
      const heard: string[] = []
      one.gate.onRoom(() => {
        heard.push(['wake', 'snooze'].filter((each) => one.gate.hasRoom(each as WritePriority)).join(' '))
      })
      return { ...one, heard }
    }

    it('says whether a write would be sent at once, and tells when it may have room again', async () => {
      const { gate, heard, end, run } = listening()
      expect(gate.hasRoom('snooze')).to.equal(true)
      const running = run('snooze', 'a')
      expect(gate.hasRoom('wake')).to.equal(false)
      await settle()
      await end(0)
      await running
      expect(heard).to.deep.equal(['wake snooze'])
    })

    it('does not tell who was not turned away', async () => {
      const { heard, end, run } = listening()
      const running = run('snooze', 'a')
      await settle()
      await end(0)
      await running
      expect(heard).to.deep.equal([])
    })

    it('lets a request that waits go before those who were turned away', async () => {
      const { gate, heard, began, end, run } = listening()
      void run('snooze', 'first')
      expect(gate.hasRoom('snooze')).to.equal(false)
      void run('request', 'request')
      await settle()
      await end(0)
      expect([began, heard]).to.deep.equal([['first', 'request'], ['']])
      await end(1)
      expect(heard).to.deep.equal(['', 'wake snooze'])
    })

    it('has none for paced wakes while it has some for snoozes, and tells when the pace allows a wake', async () => {
      const paced = new WriteGate({ wakesPerSecond: 20 })
      while (paced.hasRoom('wake')) await paced.run('wake', async () => {}, WEB)
      const told = room(paced, 'wake')
      expect([paced.hasRoom('wake'), paced.hasRoom('snooze')]).to.deep.equal([false, true])
      await told
    })

    it('keeps a wave to the rate, whoever asks first', async () => {
      const paced = new WriteGate({ writesPerSecond: 200 })
      let sent = 0
      const start = performance.now()
      const done = Promise.withResolvers<void>()
      const send = () => {
        while (sent < 40 && paced.hasRoom('snooze')) {
          sent++
          void paced.run('snooze', async () => {}, WEB)
        }
        if (sent === 40) done.resolve()
      }
      paced.onRoom(send)
      send()
      await done.promise
      expect(performance.now() - start, 'twenty at once, and the others at 5 ms each').to.be.at.least(95)
    })
  })
})
