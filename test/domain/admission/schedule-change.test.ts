import { expect } from 'chai'
import { changed } from '../../../src/domain/change.ts'
import { judgeUpdate } from '../../../src/domain/admission/update.ts'
import type { Workload } from '../../../src/domain/workload.ts'
import { stateOf, stepped } from '../../support/decisions.ts'
import { at, RULES, SECOND } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'

const NOON = at('Mon 12:00')
const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00')
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const byRequest = awake.snoozed({ at: at('Mon 11:00'), trigger: 'api', by: 'k8s:alice' })

/** What is stored of an update that changes annotations alone. */
function stored(before: AWorkload, after: Workload, now = NOON): Workload {
  const judgement = judgeUpdate(
    { before, after, otherChanges: false, isApply: false, unknown: [], manager: 'kubectl', by: 'k8s:carol' },
    now,
    RULES,
  )
  if (judgement.type === 'deny') return expect.fail(judgement.message)
  return judgement.change ? changed(after, judgement.change) : after
}

describe('a schedule that a person changes by annotation', () => {
  it('is an intent: it takes the place of an earlier request', () => {
    const after = stored(byRequest, byRequest.scheduled('9:00-19:00'))
    expect(stateOf(after).intent).to.include({ want: 'awake', at: NOON, trigger: 'schedule' })
    expect(stepped(after, NOON).after.replicas).to.equal(3)
  })

  it('is none where the schedule rules already: nothing is written beside it', () => {
    expect(stored(awake, awake.scheduled('9:00-19:00')).annotations.state).to.equal(awake.annotations.state)
  })

  it('leaves a request whose `for` still runs', () => {
    const limited = awake.snoozed({ at: at('Mon 11:00'), trigger: 'api', by: 'k8s:alice', for: 7_200_000 })
    const after = stored(limited, limited.scheduled('9:00-19:00'))
    expect(stateOf(after).intent).to.deep.equal(limited.state().intent)
  })

  it('leaves what somebody asked for when it is removed', () => {
    const after = stored(byRequest, byRequest.annotated({ schedule: undefined }))
    expect(stateOf(after).intent).to.deep.equal(byRequest.state().intent)
    expect(stepped(after, NOON).change).to.equal(undefined)
  })

  it('is judged once, when a later webhook lets the API server ask again', () => {
    const sent = byRequest.scheduled('9:00-19:00')
    const first = stored(byRequest, sent)
    const touched = { ...first, labels: { ...first.labels, team: 'shop' } }
    const second = stored(byRequest, touched, NOON + SECOND)
    expect(second.annotations).to.deep.equal(first.annotations)
  })
})
