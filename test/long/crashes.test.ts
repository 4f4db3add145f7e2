import { expect } from 'chai'
import { KINDS } from '../../src/domain/workload/workload.ts'
import { survivesCrash } from '../faults/crashes.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { print } from '../support/figures.ts'

describeOn('kill -9 at every request of an operation', function (on) {
  const here = throughFaults(on, { controller: { enabled: false } })

  for (const kind of KINDS)
    for (const by of ['request', 'edge'] as const)
      for (const want of ['asleep', 'awake'] as const)
        it(`${kind} ${want} by ${by}: done once, counts intact`, async () => {
          const calls: string[] = []
          for (let index = 1; ; index += 1) {
            const before = await survivesCrash(here, { kind, by, want, index, stage: 'before' })
            if (before === undefined) break
            const after = await survivesCrash(here, { kind, by, want, index, stage: 'after' })
            calls.push(before)
            expect(after, 'the same call again').to.equal(before)
          }
          print([`killed before and after each: ${calls.join(', ')}`])
          expect(calls.some((call) => [`patch ${kind}`, `update ${kind}`].includes(call))).to.equal(true)
        })
})
