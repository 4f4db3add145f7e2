import { expect } from 'chai'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { stateOf, stepped } from '../../support/decisions.ts'
import { at } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'
import { updated } from './updates.ts'

const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00')
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const byRequest = awake.snoozed({ at: at('Mon 11:00'), trigger: 'api', by: 'k8s:alice' })

/** The workload after an update that changes annotations alone. */
function stored(before: AWorkload, after: Workload): Workload {
  const decision = updated(before, after)
  return decision.type === 'denied' ? expect.fail(decision.message) : decision.result
}

describe('a schedule that a person changes by annotation', () => {
  it('is an intent that replaces an earlier request', () => {
    const after = stored(byRequest, byRequest.scheduled('9:00-19:00'))
    expect(stateOf(after).intent).to.include({ want: 'awake', at: NOON, trigger: 'schedule' })
    expect(stepped(after, NOON).after.replicas).to.equal(3)
  })

  it('writes no intent when the schedule decides already', () => {
    expect(stored(awake, awake.scheduled('9:00-19:00')).annotations.state).to.equal(awake.annotations.state)
  })

  it('leaves a request whose `for` has not ended', () => {
    const limited = awake.snoozed({ at: at('Mon 11:00'), trigger: 'api', by: 'k8s:alice', for: 7_200_000 })
    const after = stored(limited, limited.scheduled('9:00-19:00'))
    expect(stateOf(after).intent).to.deep.equal(limited.state().intent)
  })

  it('leaves an earlier request when it is removed', () => {
    const after = stored(byRequest, byRequest.annotated({ schedule: undefined }))
    expect(stateOf(after).intent).to.deep.equal(byRequest.state().intent)
    expect(stepped(after, NOON).change).to.equal(undefined)
  })
})
