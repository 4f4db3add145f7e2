import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { Crowd } from '../hostile-clients/crowd.ts'
import { shown, Stage } from '../hostile-clients/stage.ts'

/** For one subject: a tenth of `waiters`; fewer than the answers that it may have at once, since they come together. */
const PLACES = 12
const WAITERS = 120
const WORKLOADS = 400
/**
 * The most bytes that one stream may hold back for a client that reads nothing: buffers of the sockets, and no list of
 * changes.
 */
const A_STREAM = 200_000

describe('streams of lists that nobody reads', function () {
  this.timeout(600_000)
  let stage: Stage

  before(async () => {
    stage = await Stage.start({ api: { waiters: WAITERS, rate: { perSecond: 1000, burst: 1000 } } })
    await createNamespace(stage.cluster, 'shop')
    const names = Array.from({ length: WORKLOADS }, (_, n) => `w${n}`)
    await stage.cluster.create(
      'shop',
      names.map((name) => manifest('deployments', name)),
    )
  })
  after(() => stage.stop())

  it('take the places of their subject alone, hold little memory whatever changes, and are closed', async () => {
    const before = await stage.footprint()
    const token = await stage.token('hostile')
    const first = `GET /api/v1/workloads?watch=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const crowd = await Crowd.open(stage.ports.apiWithoutTls.url, PLACES, { first })
    const asHostile = async () => {
      const { status } = await stage.dormouse.api.call('HEAD' as 'GET', '/workloads?watch=true', { token })
      return status
    }
    await eventually('all places of the subject to be taken', async () => (await asHostile()) === 429, {
      pause: 250,
    })
    await stage.visit('apiWithoutTls')
    // The system takes some MB for each connection; from then on nothing moves, and they have 30 s.
    let round = 0
    await eventually(
      'the unread streams to be closed',
      async () => {
        const value = `round=${(round += 1)}`
        await stage.cluster.kubectl('label', 'deployments', '--all', '-n', 'shop', value, '--overwrite')
        return (await asHostile()) === 200
      },
      { pause: 1000, timeout: 300_000 },
    )
    const after = await stage.footprint()
    print([`before: ${shown(before)}; after ${round} rounds of changes: ${shown(after)}`])
    expect(after.heap - before.heap).to.be.below(PLACES * A_STREAM + 40_000_000)
    await crowd.leave()
    await stage.settled(before)
  })
})
