import { expect } from 'chai'
import { ClusterRefusal, refusalOf } from '../../src/kubernetes/failures.ts'
import { Slots, WriteGate } from '../../src/kubernetes/write-gate.ts'
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
  return { began, ends, run }
}

const WEB = { key: 'deployments/shop/web' }

/** So many places for all together. */
function shared(places: number) {
  const all = new Slots(places, 0)
  return { requests: all, controller: all, slowRequests: all, slow: all }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the write gate', () => {
  it('lets requests go before wakes, snoozes and completions, and in each the first first', async () => {
    const gate = new WriteGate({ places: shared(1) })
    const { began, ends, run } = tasks(gate)
    const order = [
      'snooze',
      'completion',
      'snooze',
      'wake',
      'request',
      'completion',
      'snooze',
      'wake',
      'request',
    ] as const
    const all = order.map((priority, index) => run(priority, `${priority}${index}`))
    for (let index = 0; index < all.length; index++) {
      await settle()
      ends[index]?.()
    }
    await Promise.all(all)
    expect(began).to.deep.equal([
      'snooze0',
      'request4',
      'request8',
      'wake3',
      'wake7',
      'snooze2',
      'snooze6',
      'completion1',
      'completion5',
    ])
  })

  it('holds what is in flight to its bound, and a failing task frees its place', async () => {
    const gate = new WriteGate({ places: shared(2) })
    const { began, ends, run } = tasks(gate)
    const failing = gate.run(
      'snooze',
      async () => {
        throw new Error('refused')
      },
      WEB,
    )
    const all = [run('snooze', 'a'), run('snooze', 'b'), run('snooze', 'c')]
    await failing.catch(() => {})
    await settle()
    expect(began).to.deep.equal(['a', 'b'])
    ends[0]?.()
    await settle()
    expect(began).to.deep.equal(['a', 'b', 'c'])
    for (const end of ends) end()
    await Promise.all(all)
  })

  it('holds all writes to a rate', async () => {
    let now = 0
    const gate = new WriteGate({ writesPerSecond: 20, now: () => now })
    const { began, ends, run } = tasks(gate)
    const all = ['a', 'b', 'c'].map((name) => run('snooze', name))
    await settle()
    expect(began).to.deep.equal(['a', 'b'])
    now = 50
    ends[0]?.()
    await settle()
    expect(began).to.deep.equal(['a', 'b', 'c'])
    for (const end of ends) end()
    await Promise.all(all)
  })

  it('paces wakes without holding up snoozes and requests', async () => {
    let now = 0
    const gate = new WriteGate({ wakesPerSecond: 1, now: () => now })
    const { began, ends, run } = tasks(gate)
    const all = [run('wake', 'w1'), run('wake', 'w2'), run('snooze', 's'), run('request', 'r')]
    await settle()
    expect(began).to.deep.equal(['w1', 's', 'r'])
    now = 1000
    ends[0]?.()
    await settle()
    expect(began).to.deep.equal(['w1', 's', 'r', 'w2'])
    for (const end of ends) end()
    await Promise.all(all)
  })

  describe('while writes hang', () => {
    const hung = () => new ClusterRefusal('CLUSTER_UNAVAILABLE', 'no answer', { status: 0, noAnswer: 'hung' })
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    let now: number
    let gate: WriteGate

    beforeEach(() => {
      now = 0
      gate = new WriteGate({ now: () => now })
    })

    /** Its last write hung. */
    const slow = (key: string) => gate.run('snooze', () => Promise.reject(hung()), { key }).catch(() => {})

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
      const heard = Promise.withResolvers<void>()
      real.onRoom(() => {
        if (real.hasRoom('snooze')) heard.resolve()
      })
      for (const name of names('sick', 5)) void run('snooze', name)
      expect(real.hasRoom('snooze')).to.equal(false)
      await heard.promise
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

    it('takes no key for slow that the cluster has told to wait', async () => {
      const throttled = async () => {
        now += 7000
        throw refusalOf('patch', 429, {})
      }
      await gate.run('snooze', throttled, { key: 'web' }).catch(() => {})
      expect(gate.isSlow('web')).to.equal(false)
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
      await gate.run('snooze', async () => void (now += 8000), { key: 'web' })
      expect(gate.isSlow('web'), 'it was answered, but late').to.equal(true)
      await gate.run('snooze', async () => {}, { key: 'web' })
      expect(gate.isSlow('web')).to.equal(false)
    })

    it('moves nobody where it is the cluster that does not answer', async () => {
      const late = new ClusterRefusal('CLUSTER_UNAVAILABLE', 'none', { status: 0, noAnswer: 'timeout' })
      const fails = async () => {
        now += 5000
        throw late
      }
      await gate.run('snooze', fails, { key: 'web' }).catch(() => {})
      expect(gate.isSlow('web')).to.equal(false)
    })

    it('takes what an admission webhook fails over for no fault of the cluster', async () => {
      const message = 'Internal error occurred: failed calling webhook "hangs.example.com": deadline exceeded'
      const failed = async () => {
        throw refusalOf('patch', 500, { message })
      }
      for (let time = 0; time < 100; time++) await gate.run('wake', failed, WEB).catch(() => {})
      expect(gate.hasRoom('wake')).to.equal(true)
    })
  })

  describe('while the cluster answers every write by a fault of its own (its etcd is away)', () => {
    const answers = (status: number) => async () => {
      throw refusalOf('patch', status, {})
    }
    const faults = async (gate: WriteGate, times: number) => {
      for (let time = 0; time < times; time++) await gate.run('request', answers(500), WEB).catch(() => {})
    }

    it('rests in between, however many keys wait, and goes on with the first that is answered', async () => {
      let now = 0
      const gate = new WriteGate({ now: () => now })
      let tried = 0
      for (; now < 60_000; now += 10)
        while (gate.hasRoom('wake') && tried < 10_000) {
          tried++
          await gate.run('wake', answers(500), WEB).catch(() => {})
        }
      expect(tried).to.be.within(60, 200)
      now += 1000
      await gate.run('wake', async () => {}, WEB)
      await faults(gate, 19)
      expect(gate.hasRoom('snooze')).to.equal(true)
    })

    it('tells when the rest has ended', async () => {
      const gate = new WriteGate()
      const heard = Promise.withResolvers<void>()
      gate.onRoom(() => {
        if (gate.hasRoom('snooze')) heard.resolve()
      })
      await faults(gate, 20)
      expect(gate.hasRoom('snooze')).to.equal(false)
      await heard.promise
    })

    it('lets requests through, and takes no refusal for such a fault', async () => {
      const gate = new WriteGate({ now: () => 0 })
      await faults(gate, 19)
      await gate.run('snooze', answers(422), WEB).catch(() => {})
      await faults(gate, 19)
      expect(gate.hasRoom('snooze')).to.equal(true)
      await faults(gate, 1)
      expect([gate.hasRoom('snooze'), gate.hasRoom('request')]).to.deep.equal([false, true])
    })
  })

  it('goes on by itself when the rate allows', async () => {
    const gate = new WriteGate({ wakesPerSecond: 200, writesPerSecond: 400 })
    const names: number[] = []
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => gate.run('wake', async () => names.push(index), WEB)),
    )
    expect(names).to.deep.equal(Array.from({ length: 60 }, (_, index) => index))
  })

  it('takes one signal of thousands of callers', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const gate = new WriteGate()
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 3000 }, () => gate.run('snooze', settle, { ...WEB, signal })))
    process.off('warning', listen)
    expect(warnings).to.deep.equal([])
  })

  it('lets a caller who gives up leave, in whatever order', async () => {
    const gate = new WriteGate({ places: shared(1) })
    const { began, ends, run } = tasks(gate)
    const first = run('snooze', 'first')
    const leaving = new AbortController()
    const left = run('snooze', 'left', leaving.signal)
    const last = run('snooze', 'last')
    leaving.abort(new Error('gone'))
    const reason = await left.catch((error: Error) => error.message)
    expect(reason).to.equal('gone')
    const late = await run('snooze', 'late', leaving.signal).catch((error: Error) => error.message)
    expect(late).to.equal('gone')
    ends[0]?.()
    await first
    await settle()
    ends[1]?.()
    await last
    expect(began).to.deep.equal(['first', 'last'])
  })

  describe('asked for room', () => {
    /** Calls of the listener, and the room that it finds each time. */
    function listening(gate: WriteGate) {
      const heard: string[] = []
      gate.onRoom(() => {
        heard.push(['wake', 'snooze'].filter((each) => gate.hasRoom(each as WritePriority)).join(' '))
      })
      return heard
    }

    it('says whether a write would be sent at once, and tells when it may have room again', async () => {
      const gate = new WriteGate({ places: shared(1) })
      const heard = listening(gate)
      const { ends, run } = tasks(gate)
      expect(gate.hasRoom('snooze')).to.equal(true)
      const running = run('snooze', 'a')
      expect(gate.hasRoom('wake')).to.equal(false)
      await settle()
      ends[0]?.()
      await running
      expect(heard).to.deep.equal(['wake snooze'])
    })

    it('does not tell who was not turned away', async () => {
      const gate = new WriteGate({ places: shared(1) })
      const heard = listening(gate)
      const { ends, run } = tasks(gate)
      const running = run('snooze', 'a')
      await settle()
      ends[0]?.()
      await running
      expect(heard).to.deep.equal([])
    })

    it('lets a request that waits go before those who were turned away', async () => {
      const gate = new WriteGate({ places: shared(1) })
      const heard = listening(gate)
      const { began, ends, run } = tasks(gate)
      const first = run('snooze', 'first')
      expect(gate.hasRoom('snooze')).to.equal(false)
      const request = run('request', 'request')
      await settle()
      ends[0]?.()
      await first
      await settle()
      expect(began).to.deep.equal(['first', 'request'])
      expect(heard).to.deep.equal([''])
      await settle()
      ends[1]?.()
      await request
      expect(heard).to.deep.equal(['', 'wake snooze'])
    })

    it('has none for paced wakes while it has some for snoozes, and tells when the pace allows a wake', async () => {
      const gate = new WriteGate({ wakesPerSecond: 20 })
      const told = Promise.withResolvers<void>()
      while (gate.hasRoom('wake')) await gate.run('wake', async () => {}, WEB)
      gate.onRoom(() => gate.hasRoom('wake') && told.resolve())
      expect([gate.hasRoom('wake'), gate.hasRoom('snooze')]).to.deep.equal([false, true])
      await told.promise
    })

    it('keeps a wave to the rate, whoever asks first', async () => {
      const gate = new WriteGate({ writesPerSecond: 200 })
      let sent = 0
      const start = performance.now()
      const done = Promise.withResolvers<void>()
      const send = () => {
        while (sent < 40 && gate.hasRoom('snooze')) {
          sent++
          void gate.run('snooze', async () => {}, WEB)
        }
        if (sent === 40) done.resolve()
      }
      gate.onRoom(send)
      send()
      await done.promise
      expect(performance.now() - start, 'twenty at once, and the others at 5 ms each').to.be.at.least(95)
    })
  })
})
