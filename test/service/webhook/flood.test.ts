import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { flood } from '../../support/load.ts'
import { mostExpensiveReviews, scaling } from '../../support/reviews.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Reviewing } from './reviewing.ts'

const FORGERS = 8
const REAL = 50
const pinned = aDeployment('shop/web').withReplicas(3).enabled().pinned()

/** The short version of `bench/special/webhook-flood.ts`, which measures the whole program. */
describe('a flood of the most expensive forged reviews', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    here.copies.set(keyOf(pinned), pinned)
    await here.start()
  })

  afterEach(() => here.stop())

  it('is denied, and fails no real review', async function () {
    this.timeout(180_000)
    const bodies = mostExpensiveReviews()
    const over = new AbortController()
    const forged = flood(FORGERS, over.signal, async (client) => {
      const { answer } = await here.post('/webhook/workloads', bodies[client % 2] ?? '')
      return String(answer.response.allowed)
    })
    for (let asked = 0; asked < REAL; asked++) {
      const { allowed, status } = await here.review('/webhook/scale', scaling(pinned, 5))
      expect([allowed, status?.code]).to.deep.equal([false, 403])
    }
    over.abort()
    expect(Object.keys(await forged)).to.deep.equal(['false'])
  })
})
