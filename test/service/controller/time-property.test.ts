import { expect } from 'chai'
import fc from 'fast-check'
import { settled } from '../../support/fake-time.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { MINUTE } from '../../support/rules.ts'
import { HAPPENING, type Happening } from './any-events.ts'
import { EventfulShop } from './eventful-shop.ts'

/** Minutes in which a jump is noticed and the longest backoff after refusals ends. */
const SETTLES_WITHIN = 12
/** Minutes: a wake that waits by wake-order, or for a clock to come to what a little wrong one has dated. */
const WAITS_AT_MOST = 20
/** Writes of all workloads at one event that is no time passing. */
const WRITES_AT_ONCE = 60

async function checked(happening: Happening): Promise<void> {
  const shop = new EventfulShop(happening)
  await shop.start()
  for (const event of happening.events) {
    const before = shop.writes
    await shop.happens(event)
    await settled()
    if (event.type !== 'pass' && !shop.refuses)
      expect(shop.writes - before, `writes at ${JSON.stringify(event)}`).to.be.at.most(WRITES_AT_ONCE)
  }
  await shop.calm()
  for (let minute = 0; minute < SETTLES_WITHIN; minute++) await shop.pass(MINUTE)
  for (let minute = 0; minute < WAITS_AT_MOST && shop.due().length > 0; minute++) await shop.pass(MINUTE)
  expect(shop.due(), 'forgotten').to.deep.equal([])
  const before = shop.writes
  for (let minute = 0; minute < 60; minute++) await shop.pass(MINUTE)
  expect(shop.writes - before, 'writes in an hour').to.be.below(20 * shop.workloads)
  await shop.stop()
}

describe('the controller, whatever its clock does', () => {
  it('forgets no workload, and comes to rest', async function () {
    this.timeout(3_000_000)
    await fc.assert(fc.asyncProperty(HAPPENING, checked), propertyRuns(100))
  })
})
