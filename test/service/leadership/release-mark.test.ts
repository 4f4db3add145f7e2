import { expect } from 'chai'
import { undoRelease } from '../../../src/service/leadership/lease-candidate.ts'
import { releasedText } from '../../../src/domain/deciding/released.ts'
import { markedRecord, releasedIn } from '../../../src/service/leadership/release-mark.ts'
import type { Lease } from '../../../src/kubernetes/ports.ts'
import { aPair, DURATION, type FakeReplicas, NEVER_HELD, RETRY, START } from './fake-replicas.ts'

const HOUR = 3_600_000
const AT = '2026-03-02T05:37:00.123000Z'

/** Two replicas, and a Lease that a release has marked. */
async function aReleasedPair() {
  const { world, leader, standby } = await aPair()
  const release = world.replica({ force: true })
  await release.start()
  await world.until(() => release.acting, DURATION + RETRY)
  void release.election.stopReleased('ana')
  await world.until(() => world.holder === 'released by ana', RETRY)
  return { world, leader, standby }
}

/** An hour after its last renewal, an older replica takes a Lease that it believes to be held. */
async function longestWait(world: FakeReplicas, until: number): Promise<number> {
  let [longest, renewed, last] = [0, world.time.clock(), world.stored?.record.renewTime]
  while (world.time.clock() < until) {
    await world.time.pass(60_000)
    const { renewTime } = world.stored?.record ?? {}
    if (renewTime !== last) [renewed, last] = [world.time.clock(), renewTime]
    longest = Math.max(longest, world.time.clock() - renewed)
  }
  return longest
}

describe('the mark of a release', () => {
  it('says who and since when, and is nothing that a replica could write', () => {
    expect(releasedIn(markedRecord('ana', AT, 7))).to.deep.equal({ by: 'ana', since: '2026-03-02T05:37:00Z' })
    expect(releasedIn(NEVER_HELD)).to.equal(undefined)
    expect(releasedIn({ ...NEVER_HELD, holder: 'released_by-host_0c4d' })).to.equal(undefined)
    expect(releasedIn({ ...NEVER_HELD, holder: 'released by bob' })).to.deep.equal({
      by: 'bob',
      since: undefined,
    })
    expect(releasedText({ by: 'ana', since: '2026-03-02T05:37:00Z' })).to.equal(
      'released by ana since 2026-03-02T05:37:00Z: nothing is automatic',
    )
  })

  it('keeps every replica from leading for as long as it stands, restarted ones too', async () => {
    const { world, leader } = await aReleasedPair()
    await world.time.pass(2 * HOUR)
    expect(world.leaders).to.deep.equal([])
    leader.crash()
    const restarted = world.replica()
    await restarted.start()
    await world.time.pass(2 * HOUR)
    expect(world.leaders).to.deep.equal([])
    expect(restarted.told).to.deep.equal([])
    expect(world.holder).to.equal('released by ana')
    expect(restarted.released).to.deep.include({ by: 'ana' })
    const said = restarted.logged.filter((line) => line.startsWith('released by ana since'))
    expect(said).to.have.length(1)
    expect(said[0]).to.match(/: nothing is automatic until `dormouse release --undo`$/)
  })

  it('is renewed at once by a replica that sees it, and so often that an older one never takes it', async () => {
    const { world } = await aReleasedPair()
    await world.time.pass(2 * RETRY)
    const { acquireTime, renewTime, durationSeconds } = world.stored?.record ?? expect.fail('no Lease')
    expect(renewTime).not.to.equal(acquireTime)
    expect(durationSeconds).to.equal(3600)
    expect(await longestWait(world, START + 3 * HOUR)).to.be.below(HOUR / 2)
    expect(world.stored?.record.acquireTime).to.equal(acquireTime)
  })

  it('is renewed with all its replicas, yet seldom: six times an hour', async () => {
    const { world } = await aReleasedPair()
    await world.time.pass(60_000)
    const before = world.stored?.version ?? 0
    await world.time.pass(2 * HOUR)
    expect((world.stored?.version ?? 0) - before).to.be.within(5, 13)
  })

  it('is taken off: then one of them leads within seconds, and knows nothing of it any more', async () => {
    const { world, leader, standby } = await aReleasedPair()
    await world.time.pass(HOUR)
    const lease: Lease = {
      record: world.stored?.record ?? NEVER_HELD,
      update: async (record) => (world.edit(record), lease),
    }
    const store = { creatable: true, create: () => expect.fail('never'), read: async () => lease }
    const { signal } = new AbortController()
    expect(await undoRelease(store, { clock: world.time.clock, signal })).to.deep.include({ by: 'ana' })
    await world.until(() => world.leaders.length === 1, 2 * RETRY)
    await world.time.pass(RETRY)
    expect([leader.released, standby.released]).to.deep.equal([undefined, undefined])
    expect(world.overlaps).to.deep.equal([])
  })

  it('is not there to take off where nobody released', async () => {
    const store = {
      creatable: true,
      create: () => expect.fail('never'),
      read: async () => ({ record: NEVER_HELD, update: () => expect.fail('never') }),
    }
    const { signal } = new AbortController()
    expect(await undoRelease(store, { clock: () => START, signal })).to.equal(undefined)
  })
})
