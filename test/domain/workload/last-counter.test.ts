import { expect } from 'chai'
import { knownAfter, withMarksRestored } from '../../../src/domain/workload/last-known.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { followed, stepped } from '../../support/decisions.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { WORK } from '../fixtures.ts'

/** As somebody may have written it: Dormouse itself never comes so far. */
const LAST = { counter: Number.MAX_SAFE_INTEGER }
const web = aDeployment().withReplicas(3).enabled().scheduled(WORK)
const last = web.remembering(LAST)

describe('a state whose counter cannot grow any more', () => {
  it('is no bug of ours: what Dormouse writes on it can be read again, and is no old copy', () => {
    const known = knownAfter(last, undefined, RULES)
    const { after, state } = stepped(last, at('Mon 18:00'))
    expect(state).to.include({ asleep: true, counter: Number.MAX_SAFE_INTEGER })
    expect(withMarksRestored(after, known, RULES)).to.equal(after)
    expect(knownAfter(after, known, RULES)?.workload).to.equal(after)
  })

  it('lets a wake end, which changes the history alone', () => {
    const { after: woken } = stepped(web.snoozed({ at: at('Mon 18:00') }).remembering(LAST), at('Tue 8:00'))
    const known = knownAfter(woken, undefined, RULES)
    const { change } = planStep(followed(woken), at('Tue 8:01'), RULES, known)
    expect(Object.keys(change?.annotations ?? {})).to.deep.equal(['history'])
    // A Deployment's annotations, too, make a generation that its controller has not seen at first.
    const ended = { ...changed(followed(woken), change!), generation: woken.generation + 1 }
    const next = planStep(ended, at('Tue 8:01'), RULES, knownAfter(ended, known, RULES))
    expect(next.change).to.equal(undefined)
  })

  it('still shows an old copy with a lower one', () => {
    const known = knownAfter(last, undefined, RULES)
    const old = last.remembering({ counter: 5 })
    expect(withMarksRestored(old, known, RULES).annotations.state).to.equal(last.annotations.state)
  })
})
