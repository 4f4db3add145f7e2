import { expect } from 'chai'
import {
  aLeader,
  aPair,
  DURATION,
  FakeReplicas,
  RENEW,
  RETRY,
  START,
  type FakeReplica,
} from './fake-replicas.ts'

const leads = (replica: FakeReplica) => () => replica.acting

describe('leader election', () => {
  it('acquires a Lease without a spec at once, and writes it as Kubernetes does', async () => {
    const { world, leader } = await aLeader()
    expect(leader.told).to.deep.equal(['lead', 'start'])
    expect(world.stored?.record).to.deep.include({ holder: 'replica-1', durationSeconds: 15, transitions: 0 })
    expect(world.stored?.record.renewTime).to.match(/^2026-03-02T12:00:00\.\d{6}Z$/)
    expect(world.stored?.record.acquireTime).to.equal(world.stored?.record.renewTime)
  })

  it('has started the leading parts when start resolves, and does not wait for another leader', async () => {
    const world = new FakeReplicas()
    const [leader, standby] = [world.replica(), world.replica()]
    for (const replica of [leader, standby]) {
      void replica.election.start().then(() => replica.told.push('ready'))
      await world.time.pass(100)
    }
    expect(leader.told).to.deep.equal(['lead', 'start', 'ready'])
    expect(standby.told).to.deep.equal(['ready'])
    expect(standby.logged).to.deep.equal(['this replica stands by: replica-1 leads'])
  })

  it('reports leadership before its parts start and until they have stopped', async () => {
    const { world, leader } = await aPair()
    void leader.election.stop()
    await world.time.pass(1000)
    expect(leader.told).to.deep.equal(['lead', 'start', 'stop', 'follow'])
  })

  it('renews without a new acquireTime or transition', async () => {
    const { world } = await aPair()
    const first = world.stored?.record
    await world.time.pass(60_000)
    expect(world.stored?.record.acquireTime).to.equal(first?.acquireTime)
    expect(Date.parse(world.stored?.record.renewTime ?? '')).to.be.at.least(START + 57_000)
    expect(world.stored?.record.transitions).to.equal(0)
    expect(world.leaders).to.deep.equal(['replica-1'])
  })
})

describe('a leader that ends', () => {
  for (const apart of [100, 600, 1100, 1600]) {
    it(`is replaced within the lease duration and 2 s when it was killed: replicas ${apart} ms apart`, async () => {
      const world = new FakeReplicas()
      const [leader, standby] = [world.replica(), world.replica()]
      await leader.start()
      await world.time.pass(apart)
      await standby.start()
      const { renewTime } = world.stored?.record ?? {}
      await world.until(() => world.stored?.record.renewTime !== renewTime, 5000)
      leader.crash()
      const took = await world.until(leads(standby), 60_000)
      expect(took).to.be.within(DURATION - RETRY, DURATION + RETRY)
      expect(world.stored?.record.transitions).to.equal(1)
      expect(world.overlaps).to.deep.equal([])
    })
  }

  it('releases the Lease, and another acquires it within 3 s', async () => {
    const { world, leader, standby } = await aPair()
    await world.time.pass(60_000)
    void leader.election.stop()
    const took = await world.until(leads(standby), 60_000)
    expect(took).to.be.below(3000)
    expect(world.overlaps).to.deep.equal([])
  })

  it('holds the Lease until its parts have stopped, however long that takes', async () => {
    const { world, leader, standby } = await aPair({ stopTime: 40_000 })
    void leader.election.stop()
    await world.time.pass(39_000)
    expect(world.holder).to.equal('replica-1')
    await world.until(leads(standby), 5000)
    expect(world.overlaps).to.deep.equal([])
  })

  it('ends within two retry periods when the cluster does not answer', async () => {
    const { world, leader } = await aPair()
    leader.weather = 'hang'
    let ended = false
    void leader.election.stop().then(() => (ended = true))
    await world.until(() => ended, 2 * RETRY)
  })

  it('releases a Lease that it acquired without receiving the answer', async () => {
    const world = new FakeReplicas()
    const replica = world.replica()
    replica.weather = 'lost'
    await replica.start()
    replica.weather = 'fair'
    void replica.election.stop()
    await world.time.pass(5000)
    expect(world.holder).to.equal('')
    expect(replica.told).to.deep.equal([])
  })

  it('can be started again', async () => {
    const { world, leader } = await aLeader()
    void leader.election.stop()
    await world.time.pass(5000)
    await leader.start()
    expect(world.leaders).to.deep.equal(['replica-1'])
  })
})

describe('a leader that cannot renew', () => {
  for (const weather of ['refused', 'hang'] as const) {
    it(`stops after the renew deadline, before another begins: calls are ${weather}`, async () => {
      const { world, leader, standby } = await aPair({ stopTime: 2000 })
      leader.weather = weather
      const stopped = await world.until(() => !leader.acting, 60_000)
      expect(stopped).to.be.within(RENEW - RETRY, RENEW + 2000 + 100)
      await world.until(leads(standby), 10_000)
      expect(world.overlaps).to.deep.equal([])
      expect(leader.logged).to.include('this replica leads no longer: the Lease was not renewed in time')
    })
  }

  it('keeps leading through a short outage, and logs once what was wrong', async () => {
    const { world, leader } = await aPair()
    leader.weather = 'refused'
    await world.time.pass(7000)
    leader.weather = 'fair'
    await world.time.pass(60_000)
    expect(leader.told).to.deep.equal(['lead', 'start'])
    expect(leader.logged.filter((line) => /cannot be reached/.test(line))).to.have.length(1)
  })

  it('keeps leading when only the answers were lost', async () => {
    const { world, leader } = await aPair()
    leader.weather = 'lost'
    await world.time.pass(RETRY * 2)
    leader.weather = 'fair'
    await world.time.pass(60_000)
    expect(leader.told).to.deep.equal(['lead', 'start'])
    expect(world.leaders).to.deep.equal(['replica-1'])
  })

  it('leads again at once after an outage in which nobody acquired the Lease', async () => {
    const { world, leader } = await aLeader()
    leader.weather = 'refused'
    await world.until(() => !leader.acting, 20_000)
    await world.time.pass(1000)
    leader.weather = 'fair'
    expect(await world.until(leads(leader), 20_000)).to.be.below(RETRY)
  })

  it('counts its deadline from when it asked to renew, not from the answer', async () => {
    const { world, leader, standby } = await aPair({ stopTime: 4000 })
    leader.late = 4000
    const { renewTime } = world.stored?.record ?? {}
    await world.until(() => world.stored?.record.renewTime !== renewTime, 5000)
    leader.weather = 'refused'
    await world.until(leads(standby), 30_000)
    expect(world.overlaps).to.deep.equal([])
  })

  it('does not count a renewal that took longer than the deadline', async () => {
    const { world, leader, standby } = await aPair()
    world.latency = 30_000
    await world.time.pass(200_000)
    expect(leader.acting || standby.acting).to.equal(false)
    world.latency = 10
    await world.time.pass(100_000)
    expect(world.leaders).to.have.length(1)
    expect(world.overlaps).to.deep.equal([])
  })
})

describe('a leader that froze', () => {
  it('stops at once when it continues, before any call: another leads', async () => {
    const { world, leader, standby } = await aPair()
    leader.freeze()
    await world.time.pass(20_000)
    expect(standby.acting).to.equal(true)
    await leader.thaw()
    expect(leader.acting).to.equal(false)
    expect(leader.told).to.deep.equal(['lead', 'start', 'stop', 'follow'])
    await world.time.pass(60_000)
    expect(world.leaders).to.deep.equal(['replica-2'])
  })

  it('says itself that it leads no longer, before its first timer', async () => {
    const { world, leader, standby } = await aPair()
    expect([leader.election.leads, standby.election.leads]).to.deep.equal([true, false])
    leader.freeze()
    await world.time.pass(20_000)
    expect([leader.election.leads, standby.election.leads]).to.deep.equal([false, true])
  })

  it('stops even if the answer to a renewal has arrived meanwhile', async () => {
    const { world, leader } = await aPair()
    const { renewTime } = world.stored?.record ?? {}
    world.latency = 1000
    await world.until(() => world.stored?.record.renewTime !== renewTime, 5000)
    leader.freeze()
    await world.time.pass(12_000)
    await leader.thaw()
    await world.time.pass(0)
    expect(leader.acting).to.equal(false)
  })

  it('keeps leading when it was frozen for less than the renew deadline', async () => {
    const { world, leader } = await aPair()
    leader.freeze()
    await world.time.pass(6000)
    await leader.thaw()
    await world.time.pass(60_000)
    expect(leader.told).to.deep.equal(['lead', 'start'])
  })
})

describe('a leading part that does not start', () => {
  it('releases the Lease to a replica where it starts', async () => {
    const world = new FakeReplicas()
    const [broken, sound] = [world.replica(), world.replica()]
    broken.startFails = true
    await broken.start()
    await sound.start()
    await world.until(leads(sound), 10_000)
    expect(broken.told.slice(0, 3)).to.deep.equal(['lead', 'stop', 'follow'])
  })

  it('is tried again after the retry period, not at once', async () => {
    const world = new FakeReplicas()
    const broken = world.replica()
    broken.startFails = true
    await broken.start()
    await world.time.pass(RETRY - 500)
    expect(broken.told.filter((what) => what === 'lead')).to.have.length(1)
    await world.time.pass(1000)
    expect(broken.told.filter((what) => what === 'lead')).to.have.length(2)
  })
})

describe('a candidate that forces the Lease', () => {
  it('takes it from a live leader, and acts once that one can no longer act', async () => {
    const { world, leader } = await aLeader({ stopTime: 2000 })
    const released = world.replica({ force: true })
    await world.time.pass(10_000)
    await released.start()
    expect(world.holder).to.equal('replica-2')
    expect(released.told).to.deep.equal(['lead', 'taken from replica-1, waits 15000'])
    await world.until(leads(released), DURATION + 100)
    expect(leader.told).to.deep.equal(['lead', 'start', 'stop', 'follow'])
    expect(world.overlaps).to.deep.equal([])
  })

  it('does so once: two of them do not take it from each other forever', async () => {
    const { world } = await aLeader()
    const [first, second] = [world.replica({ force: true }), world.replica({ force: true })]
    await first.start()
    await second.start()
    await world.until(() => world.leaders.length === 0, RETRY + 100)
    await world.until(() => world.leaders.length > 0, DURATION + RETRY)
    expect(world.leaders).to.deep.equal(['replica-3'])
    void second.election.stop()
    await world.until(() => world.leaders.length > 0, 5000)
    expect(world.overlaps).to.deep.equal([])
  })

  it('waits for nobody where the Lease is free', async () => {
    const { leader } = await aLeader({ force: true })
    expect(leader.told).to.deep.equal(['lead', 'start'])
  })
})
