import { expect } from 'chai'
import { ListedRecords } from '../../../src/api/watch/listed-records.ts'
import { NOON, rules } from '../service.ts'
import { managed } from '../states.ts'

describe('the instants at which records change', () => {
  const overridden = (until: number) => managed({ override: { until, at: NOON, by: 'local:alice' } })

  it('are forgotten once others have taken their place: an override that is set again and again fills no memory', () => {
    const records = new ListedRecords({ rules, clock: () => NOON, onDue: () => undefined })
    for (let n = 0; n < 1000; n += 1) records.textOf(overridden(NOON + 3_600_000 + n))
    expect(records.size.keys).to.equal(1)
    expect(records.size.entries).to.be.below(100)
    records.stop()
  })

  it('count, the newest of each workload, after that', async () => {
    let now = NOON
    const { promise, resolve } = Promise.withResolvers<string>()
    const records = new ListedRecords({ rules, clock: () => now, onDue: ({ name }) => resolve(name) })
    for (let n = 1000; n >= 0; n -= 1) records.textOf(overridden(NOON + 50 + n))
    now += 60
    expect(await promise).to.equal('web')
    expect(records.size.keys).to.equal(0)
    records.stop()
  })
})
