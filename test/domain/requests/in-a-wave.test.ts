import { expect } from 'chai'
import type { Request } from '../../../src/domain/requests/operations.ts'
import { asked, decided, followed, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE } from '../../support/rules.ts'
import { asleep, awake } from '../fixtures.ts'

/** An edge has passed, and the wave that carries it out has not come to the workload yet. */
const CASES = [
  ['wake', awake, at('Mon 18:00'), 'asleep', at('Tue 18:00')],
  ['snooze', asleep, at('Tue 8:00'), 'awake', at('Wed 8:00')],
] as const

describe('a request between an edge and its transition', () => {
  for (const [action, workload, edge, wanted, next] of CASES) {
    const late = edge + 7 * 1000
    const request: Request = { action }

    it(`to ${action} is the later intent: it is written, and the wave passes the workload over`, () => {
      expect(decided(workload, late).action, 'still due').to.equal(wanted === 'asleep' ? 'snooze' : 'wake')
      const { change, state, message, after } = asked(workload, request, late)
      expect(message).to.match(new RegExp(`^stays ${action === 'wake' ? 'awake' : 'asleep'}: `))
      expect(change).to.have.keys('annotations')
      expect(after.replicas).to.equal(workload.replicas)
      expect(state.intent).to.include({ at: late, trigger: 'api', by: 'k8s:carol' })
      expect(stepped(after, late + MINUTE).change).to.equal(undefined)
      expect(stepped(after, next).decision.action).to.equal(wanted === 'asleep' ? 'snooze' : 'wake')
    })

    it(`to ${action} that was granted, and comes again, says "already"`, () => {
      const { after } = asked(workload, request, late)
      const again = asked(after, request, late + MINUTE)
      expect(again.change).to.equal(undefined)
      expect(again.message).to.match(/^already /)
    })
  }

  it('holds a wake in hours of sleep no longer than wakeHold, as any', () => {
    const { state } = asked(awake, { action: 'wake' }, at('Mon 18:05'))
    expect(state.intent?.hold).to.equal(at('Mon 18:05') + 12 * HOUR)
  })

  it('counts where a backoff keeps the workload from what is due', () => {
    const waiting = awake.inBackoff(at('Mon 19:00'))
    expect(decided(waiting, at('Mon 18:30')).reason.code).to.equal('backoff')
    const { after, change } = asked(waiting, { action: 'wake' }, at('Mon 18:30'))
    expect(change).to.not.equal(undefined)
    expect(stepped(followed(after), at('Mon 19:30')).decision.action).to.equal('none')
  })

  it('counts where an override keeps the workload from what is due', () => {
    const held = awake.overridden(at('Mon 20:00'))
    const { after } = asked(held, { action: 'wake' }, at('Mon 19:00'))
    expect(stepped(after, at('Mon 20:00')).state.asleep).to.equal(false)
  })
})
