import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { DAY, HOUR } from '../support/rules.ts'
import { awakeBetween } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const REPLICAS = 2

/** The right state at each time: test/domain/deciding/clock-jumps.test.ts has for every sort of workload. */
describeOn('a clock that jumps, and is put right again', function (on) {
  this.timeout(120_000)
  const clock = new ProgramClock()
  const here = served(on, { newWorkloadGrace: '0s' }, clock.preload)
  const began = performance.now()

  before('one sleeps, one is awake', async () => {
    for (const [name, from, to] of [
      ['asleep', 0.5, 8],
      ['awake', -6, 0.5],
    ] as const) {
      const schedule = awakeBetween(Date.now() + from * HOUR, Date.now() + to * HOUR)
      await here.enabled('deployments', name, { replicas: REPLICAS, schedule })
    }
  })

  after(() => clock.remove())

  for (const [what, span, asleep, awake] of [
    ['an hour ahead', HOUR, false, true],
    ['right', 0, true, false],
    ['a year and an hour ahead', 365 * DAY + HOUR, false, true],
    ['right again', 0, true, false],
    ['a year back', -365 * DAY, true, false],
  ] as const)
    it(`${what}: both are as the rules say for the new time`, async () => {
      clock.moveTo(span)
      await eventually('both to be so', async () => {
        // Tokens do not live that long.
        const objects = await Promise.all(['asleep', 'awake'].map((name) => here.get('deployments', name)))
        return isDeepStrictEqual(
          objects.map(({ metadata }) => metadata.labels?.[ASLEEP_LABEL] !== undefined),
          [asleep, awake],
        )
      })
    })

  it('costs no leadership, and no second is saved that did not pass', async () => {
    const samples = await here.dormouse.metrics()
    expect(sumOf(samples, 'dormouse_leader')).to.equal(1)
    expect(here.dormouse.log.filter(({ msg }) => msg === 'this replica leads')).to.have.length(1)
    const saved = sumOf(samples, 'dormouse_saved_replica_seconds_total', { namespace: here.namespace })
    expect(saved).to.be.within(1, (2 * REPLICAS * (performance.now() - began)) / 1000)
  })
})
