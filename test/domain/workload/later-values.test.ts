import { expect } from 'chai'
import { encodeState } from '../../../src/domain/workload/state-codec.ts'
import type { StoredState } from '../../../src/domain/workload/state.ts'
import { listedRecord } from '../../../src/domain/records/record.ts'
import { asked, decided, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { NOON, WORK } from '../fixtures.ts'

/** As a later release may write it, which wakes by the tide. One name is a property that every object has. */
const LATER: StoredState = {
  kind: 'deployments',
  counter: 7,
  asleep: false,
  snoozed: { at: at('Mon 9:00'), replicas: 3, trigger: 'constructor', by: null },
  woken: { at: at('Mon 11:00') },
  intent: {
    want: 'awake',
    at: at('Mon 18:30'),
    before: 'asleep',
    by: 'service/web:http',
    trigger: 'tide',
  },
  history: [
    {
      type: 'wake',
      trigger: 'tide',
      at: at('Mon 11:00'),
      replicas: 3,
      duration: 1,
      by: null,
      result: 'abandoned',
    },
    {
      type: 'snooze',
      trigger: 'constructor',
      at: at('Mon 9:00'),
      replicas: 0,
      duration: 1,
      by: null,
      result: 'toString',
    },
  ],
}
const workload = (state: StoredState) =>
  aDeployment().withReplicas(3).enabled().scheduled(WORK).annotated(encodeState(state))

describe('a trigger, cause or result of a later release', () => {
  it('of an intent counts as what somebody asked for, until the next edge', () => {
    const decision = decided(workload(LATER), at('Mon 20:00'))
    expect(decision).to.deep.include({ action: 'none' })
    expect(decision.reason.text).to.match(/^awake by tide of service\/web:http/)
    expect(stepped(workload(LATER), at('Tue 18:00')).state.asleep).to.equal(true)
  })

  it('is shown as it is', () => {
    const { operation_history: history } = listedRecord(workload(LATER), NOON, RULES)
    expect(history.map(({ trigger, result }) => [trigger, result])).to.deep.equal([
      ['tide', 'abandoned'],
      ['constructor', 'toString'],
    ])
  })

  it('of a backoff makes automatic transitions wait until its end, and says which', () => {
    const { intent: _, ...without } = LATER
    const waiting = workload({ ...without, backoff: { until: at('Mon 21:00'), times: 1, cause: 'quota' } })
    const { reason, action } = decided(waiting, at('Mon 20:30'))
    expect(action).to.equal('none')
    expect(reason.text).to.match(/^waits until 2026-03-02T21:00:00Z: quota /)
    expect(stepped(waiting, at('Mon 21:00')).state.asleep).to.equal(true)
    // None that any rule of this release sets lasts as long, so a wrong clock may have set it.
    const endless = workload({ ...without, backoff: { until: at('Fri 21:00'), times: 1, cause: 'quota' } })
    expect(stepped(endless, at('Mon 20:30')).state.backoff?.until).to.equal(at('Mon 20:30') + HOUR)
  })

  it('is written back', () => {
    const { state } = asked(workload(LATER), { action: 'snooze' }, NOON + MINUTE)
    expect(state.history.slice(1)).to.deep.equal(LATER.history)
  })
})
