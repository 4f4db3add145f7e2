import { expect } from 'chai'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at } from '../../support/rules.ts'
import { aCronJob, aDaemonSet, aDeployment, aStatefulSet, type AWorkload } from '../../support/workloads.ts'
import { updated, type Options } from './updates.ts'

const SEVEN = at('Mon 7:00')
const asleep = (workload: AWorkload) =>
  workload.withReplicas(3).enabled().scheduled('8:00-9:00', 'Europe/Berlin').snoozed({ at: SEVEN })
const web = asleep(aDeployment('shop/web'))
const rollout = (before: Workload, after: Workload = before, options: Options = {}) => {
  const decision = updated(before, after, { otherChanges: true, changesTemplate: true, ...options })
  return decision.type === 'denied' ? [decision.message] : decision.warnings
}
const WAKE =
  'Dormouse: deployment shop/web: to wake it now: kubectl annotate -n shop deployments/web dormouse.dev/request=wake'

describe('a new version of a workload', () => {
  it('that sleeps is let through with until when it sleeps, that it runs then, and how to run it now', () => {
    expect(rollout(web)).to.deep.equal([
      'Dormouse: deployment shop/web is asleep until Tue 8:00 (Europe/Berlin): the new version runs then',
      WAKE,
    ])
  })

  it('is told of once, also where the write brings another count', () => {
    expect(rollout(web, web.withReplicas(5))).to.deep.equal([
      'Dormouse: deployment shop/web is asleep and stays at 0 replicas; it will wake to 5',
      WAKE,
      'Dormouse: deployment shop/web is asleep until Tue 8:00 (Europe/Berlin): the new version runs then',
    ])
  })

  it('that nothing wakes by itself runs once it wakes', () => {
    const sleeper = aDeployment('shop/web').withReplicas(3).enabled().snoozed({ at: SEVEN, trigger: 'api' })
    const [says] = rollout(sleeper)
    expect(says).to.equal('Dormouse: deployment shop/web is asleep: the new version runs once it wakes')
  })

  it('that is pinned asleep names the unpin: a wake would be refused', () => {
    const [says, how, ...more] = rollout(web.pinned())
    expect(says).to.equal(
      'Dormouse: deployment shop/web is pinned asleep: the new version runs once it wakes',
    )
    expect(how).to.match(/: to let it go: kubectl annotate .*=unpin$/)
    expect(more).to.deep.equal([])
  })

  it('of a CronJob concerns its later runs; of the other kinds it is as with Deployments', () => {
    expect(rollout(asleep(aCronJob()))[0]).to.match(
      /is asleep until Tue 8:00 .*: runs after that are of the new/,
    )
    for (const each of [aStatefulSet(), aDaemonSet()])
      expect(rollout(asleep(each))[0]).to.match(/is asleep until Tue 8:00 .*: the new version runs then$/)
  })

  const quiet: [string, Workload, Workload?, Options?][] = [
    ['that leaves the template as it is', web, web, { changesTemplate: false }],
    ['of a workload that is awake', aDeployment('shop/web').withReplicas(3).enabled()],
    ['of a workload that is not managed', aDeployment('shop/web').withReplicas(3)],
    ['of a sleeper that is about to wake', web, web, { now: at('Tue 7:00') }],
    ['of a sleeper whose managing was turned off, so that it wakes', web.annotated({ enabled: 'false' })],
  ]
  for (const [which, before, after, options] of quiet)
    it(`says nothing on a write ${which}`, () => expect(rollout(before, after, options)).to.deep.equal([]))

  it('beside a request to wake says what the request did, and nothing of a sleeper', () => {
    const warnings = rollout(web, web.annotated({ request: 'wake' }))
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.match(/woken to 3 replicas/)
  })
})
