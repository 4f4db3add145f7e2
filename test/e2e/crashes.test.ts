import { expect } from 'chai'
import { survivesCrash, type Crash } from '../faults/crashes.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'

/** The rest is in test/long. */
const CRASHES: readonly Omit<Crash, 'kind'>[] = [
  { by: 'request', want: 'asleep', index: 1, stage: 'before' },
  { by: 'request', want: 'awake', index: 1, stage: 'after' },
  { by: 'edge', want: 'asleep', index: 1, stage: 'after' },
  { by: 'edge', want: 'awake', index: 1, stage: 'before' },
]

describeOn('kill -9 at a request of an operation', function (on) {
  this.timeout(120_000)
  const here = throughFaults(on, { controller: { enabled: false } })

  for (const crash of CRASHES)
    it(`${crash.want} by ${crash.by}, ${crash.stage} it was carried out: done once, count intact`, async () => {
      const call = await survivesCrash(here, { kind: 'deployments', ...crash })
      expect(call).to.be.oneOf(['patch deployments', 'update deployments'])
    })
})
