import { expect } from 'chai'
import fc from 'fast-check'
import { aPair, DURATION, FakeReplicas, NEVER_HELD, RETRY } from './fake-replicas.ts'
import { propertyRuns } from '../../support/property-runs.ts'

describe('a Lease edited by hand', () => {
  it('with a stranger as holder ends the leadership; it is acquired again once it has expired', async () => {
    const { world, leader } = await aPair()
    const record = world.stored?.record ?? NEVER_HELD
    world.edit({ ...record, holder: 'somebody' })
    await world.until(() => !leader.acting, RETRY + 100)
    await world.until(() => world.leaders.length > 0, DURATION + RETRY)
    expect(world.overlaps).to.deep.equal([])
  })

  for (const [what, record] of [
    ['deleted', undefined],
    ['emptied', NEVER_HELD],
    ['without its holder', { holder: '' }],
    ['with the standby as holder', { holder: 'replica-2' }],
    ['of one second', { durationSeconds: 1 }],
    ['of a thousand years', { durationSeconds: 3e10 }],
  ] as const)
    it(`${what}: never two leaders, and one in the end`, async () => {
      const { world, leader } = await aPair()
      if (record) world.edit({ ...(world.stored?.record ?? NEVER_HELD), ...record })
      else world.stored = undefined
      leader.weather = 'refused'
      await world.time.pass(7000)
      leader.weather = 'fair'
      await world.time.pass(60_000)
      expect(world.leaders).to.have.length(1)
      expect(world.overlaps).to.deep.equal([])
    })

  it('deleted in a cluster is not recreated: the leader stops, and logs that once', async () => {
    const { world, leader, standby } = await aPair()
    world.creatable = false
    world.stored = undefined
    await world.time.pass(60_000)
    expect(world.stored).to.equal(undefined)
    expect(world.leaders).to.deep.equal([])
    for (const { logged } of [leader, standby])
      expect(logged.filter((line) => line.startsWith('there is no Lease'))).to.have.length(1)
    world.edit(NEVER_HELD)
    await world.time.pass(DURATION + RETRY)
    expect(world.leaders).to.have.length(1)
    expect(world.overlaps).to.deep.equal([])
  })
})

describe('clocks', () => {
  it('that differ by hours, or are set, change nothing', async () => {
    const { world, leader, standby } = await aPair()
    standby.wallOffset = 7_200_000
    await world.time.pass(30_000)
    leader.wallOffset = -3_600_000
    await world.time.pass(30_000)
    standby.wallOffset = -86_400_000
    await world.time.pass(30_000)
    expect(leader.told).to.deep.equal(['lead', 'start'])
    expect(world.overlaps).to.deep.equal([])
  })
})

describe('two replicas never lead at once', function () {
  this.timeout(60_000)

  const mishap = fc.record({
    after: fc.integer({ min: 0, max: 12_000 }),
    who: fc.nat({ max: 2 }),
    what: fc.constantFrom('refused', 'lost', 'hang', 'fair', 'crash', 'restart', 'clock', 'slow', 'fast'),
  })

  it('whatever fails, with clocks that run up to 2 % apart', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0.99, max: 1.01, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.array(mishap, { maxLength: 25 }),
        async (rates, mishaps) => {
          const world = new FakeReplicas()
          const present = rates.map((rate) => world.replica({ rate, stopTime: 1500 }))
          for (const replica of present) void replica.election.start()
          for (const { after, who, what } of mishaps) {
            await world.time.pass(after)
            const replica = present[who]
            if (!replica) continue
            if (what === 'slow' || what === 'fast') world.latency = what === 'slow' ? 4000 : 10
            else if (what === 'clock') replica.wallOffset += 1_000_000
            else if (what === 'crash' || what === 'restart') {
              if (what === 'crash') replica.crash()
              else void replica.election.stop()
              const next = world.replica({ rate: rates[who] ?? 1, stopTime: 1500 })
              present[who] = next
              void next.election.start()
            } else replica.weather = what
          }
          expect(world.overlaps).to.deep.equal([])
          for (const replica of present) replica.weather = 'fair'
          world.latency = 10
          await world.time.pass(60_000)
          expect(world.overlaps).to.deep.equal([])
          expect(world.leaders).to.have.length(1)
        },
      ),
      propertyRuns(60),
    )
  })
})
