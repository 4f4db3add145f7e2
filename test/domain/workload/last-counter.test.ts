import { expect } from 'chai'
import { knownAfter, withMarksRestored } from '../../../src/domain/workload/marks.ts'
import { stepped } from '../../support/decisions.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { WORK } from '../fixtures.ts'

/** As somebody may have written it: Dormouse itself never comes so far. */
const last = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled(WORK)
  .remembering({ counter: Number.MAX_SAFE_INTEGER })

describe('a state whose counter cannot grow any more', () => {
  it('is no bug of ours: what Dormouse writes on it can be read again, and is no old copy', () => {
    const known = knownAfter(last, undefined, RULES)
    const { after, state } = stepped(last, at('Mon 18:00'))
    expect(state).to.include({ asleep: true, counter: Number.MAX_SAFE_INTEGER })
    expect(withMarksRestored(after, known, RULES)).to.equal(after)
    expect(knownAfter(after, known, RULES)?.workload).to.equal(after)
  })

  it('still shows an old copy with a lower one', () => {
    const known = knownAfter(last, undefined, RULES)
    const old = last.remembering({ counter: 5 })
    expect(withMarksRestored(old, known, RULES).annotations.state).to.equal(last.annotations.state)
  })
})
