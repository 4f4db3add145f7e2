import { expect } from 'chai'
import { ASLEEP_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'

import { decided } from '../../support/decisions.ts'
import { decoded } from '../../support/readable.ts'
import { at } from '../../support/rules.ts'
import { aCronJob, aDaemonSet, aDeployment } from '../../support/workloads.ts'
import { updated, type Options } from './updates.ts'

const EVENING = at('Mon 20:00')
const web = aDeployment('shop/web')
  .withReplicas(3)
  .enabled()
  .annotated({ schedule: '8:00-18:00', deployWakes: 'true' })
const sleeper = web.snoozed({ at: at('Mon 18:00') })

function deployed(before: Workload, after: Workload, options: Options = {}) {
  const how = { otherChanges: true, changesTemplate: true, isApply: true, now: EVENING, ...options }
  return updated(before, after, { ...how, by: 'k8s:ci' })
}

describe('a deploy of what deploys wake', () => {
  it('wakes a sleeper to the count that it brings, in the name of who did it, and says until when', () => {
    const { reason, result, warnings } = deployed(sleeper, sleeper.withReplicas(5))
    expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal([
      'manual_wake',
      5,
      undefined,
    ])
    const { intent, history, woken, asleep } = decoded(result.annotations)
    expect(asleep).to.equal(false)
    expect(intent).to.include({ want: 'awake', trigger: 'deploy', by: 'k8s:ci', before: 'asleep' })
    expect(history[0]).to.include({
      type: 'wake',
      trigger: 'deploy',
      by: 'k8s:ci',
      replicas: 5,
      result: 'running',
    })
    expect(woken).not.to.have.property('kept')
    expect(warnings).to.deep.equal([
      'Dormouse: deployment shop/web is awake until Tue 8:00 (UTC) at most: its dormouse.dev/deploy-wakes says that a deploy wakes it',
    ])
  })

  it('holds like a manual wake: until the next edge, or wakeHold, and no longer', () => {
    const { result } = deployed(sleeper, sleeper.withReplicas(3))
    expect(decided(result, at('Mon 23:00')).reason.text).to.equal(
      'awake by deploy of k8s:ci; sleeps 2026-03-03T18:00:00Z',
    )
    expect(decided(result, at('Tue 19:00')).action).to.equal('snooze')
  })

  it('wakes to the kept count by a manifest that stops naming one', () => {
    const { reason, result } = deployed(sleeper, sleeper.withReplicas(1), { manifestCount: 'absent' })
    expect([reason, result.replicas]).to.deep.equal(['manual_wake', 3])
    expect(decoded(result.annotations).history[0]).to.include({ trigger: 'deploy', replicas: 3 })
  })

  it('wakes by a whole manifest, too, which knows nothing of our marks', () => {
    const bare = web.withReplicas(3).annotated({ deployWakes: 'true' })
    expect(deployed(sleeper, bare, { isApply: false }).result.replicas).to.equal(3)
  })

  it('resumes a CronJob, and lets a DaemonSet go, by manifests that say so', () => {
    const job = aCronJob()
      .enabled()
      .annotated({ deployWakes: 'true' })
      .snoozed({ at: at('Mon 18:00') })
    const { reason, result } = deployed(job, job.with({ replicas: 1 }))
    expect([reason, result.replicas]).to.deep.equal(['manual_wake', 1])
    const agent = aDaemonSet().withReplicas(2).enabled().annotated({ deployWakes: 'true' })
    const asleep = agent.snoozed({ at: at('Mon 18:00') })
    const free = deployed(asleep, asleep.withoutItsKey())
    expect([free.reason, free.result.snoozeKey]).to.deep.equal(['manual_wake', undefined])
    expect(decoded(free.result.annotations).history[0]).to.include({ trigger: 'deploy', replicas: 2 })
  })

  for (const [what, before, after, options] of [
    ['of the same template', sleeper, sleeper.withReplicas(3), { changesTemplate: false }],
    [
      'where its settings do not say so',
      sleeper.annotated({ deployWakes: undefined }),
      sleeper.annotated({ deployWakes: undefined }).withReplicas(3),
      {},
    ],
    [
      'where they say that it does not',
      sleeper.annotated({ deployWakes: 'false' }),
      sleeper.annotated({ deployWakes: 'false' }).withReplicas(3),
      {},
    ],
  ] as const)
    it(`is absorbed ${what}`, () => {
      const { reason, result } = deployed(before, after, options)
      expect([reason, result.replicas]).to.deep.equal(['absorbed', 0])
    })

  it('that brings no count leaves it asleep, and says so', () => {
    const { reason, result, warnings } = deployed(sleeper, sleeper.with({ generation: 9 }))
    expect([reason, result.replicas]).to.deep.equal(['free', 0])
    expect(warnings[0]).to.include('is asleep until')
  })

  it('moves nothing that a pin or an override holds', () => {
    for (const held of [sleeper.pinned(), sleeper.overridden()]) {
      const { reason, result } = deployed(held, held.withReplicas(5))
      expect([reason, result.replicas]).to.deep.equal(['held', 0])
    }
  })

  it('in the same write as the setting wakes', () => {
    const before = sleeper.annotated({ deployWakes: undefined })
    expect(deployed(before, sleeper.withReplicas(3)).result.replicas).to.equal(3)
  })
})
