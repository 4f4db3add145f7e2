import { expect } from 'chai'
import { planRequest } from '../../../src/domain/requests/request.ts'
import { Refusal } from '../../../src/process/errors.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aCronJob, aDeployment, type AWorkload } from '../../support/workloads.ts'
import { aRig, aStarted } from './rig.ts'

const NOON = at('Mon 12:00')
const awake = aDeployment().withReplicas(5).enabled().scheduled('8:00-18:00,Mon-Fri')
/** As an admission webhook leaves it that drops our marks from the write that puts it to sleep. */
const stripped = (workload: AWorkload) =>
  workload
    .annotated({ state: undefined })
    .with({ replicasManager: { manager: 'dormouse', subresource: undefined }, ownReplicasEntry: 0 })
    .withReplicas(0)
const ofSleep = (workload: AWorkload) => workload.annotated({ schedule: '20:00-22:00,Mon-Fri' })

describe('a workload that our own write left at 0 without its marks', () => {
  for (const [what, before] of Object.entries({
    'never slept before': awake,
    'slept before': awake.woken({ at: at('Mon 8:00'), trigger: 'schedule' }),
  }))
    it(`gets back the count that this process remembers, here one that ${what}`, async () => {
      const { cluster, time } = await aStarted(NOON, before)
      cluster.put(stripped(before))
      await time.pass(MINUTE)
      expect(cluster.live(before).replicas).to.equal(5)
    })

  it('is put to sleep with that count where the marks are stored the next time', async () => {
    const { cluster, time, start } = aRig(NOON)
    const before = awake.woken({ at: at('Mon 8:00'), trigger: 'schedule' })
    cluster.put(before)
    await start()
    cluster.put(ofSleep(stripped(before)))
    await time.pass(MINUTE)
    const { replicas, labels } = cluster.live(before)
    expect([replicas, labels?.['dormouse.dev/asleep']]).to.deep.equal([0, '5'])
  })

  it('can be scaled by hand then, and follows its schedule again', async () => {
    const { cluster, time } = await aStarted(NOON, ofSleep(stripped(awake)))
    cluster.put(ofSleep(stripped(awake)).scaledByHand(4))
    await time.pass(MINUTE)
    expect(cluster.live(awake).labels?.['dormouse.dev/asleep']).to.equal('4')
  })

  it('wakes to 1 when somebody has it enabled again', () => {
    const workload = stripped(awake)
    const ask = (action: 'wake' | 'enable') =>
      planRequest(workload, { action }, 'k8s:ana', NOON, RULES).change?.replicas
    expect(() => ask('wake'))
      .to.throw(Refusal, /so is the count that it kept/)
      .with.nested.property('details.remedy.action', 'enable')
    expect(ask('enable')).to.equal(1)
  })

  it('has the same said of it where it is a CronJob', () => {
    const ask = () => planRequest(stripped(aCronJob().enabled()), { action: 'wake' }, 'k8s:ana', NOON, RULES)
    expect(ask).to.throw(Refusal, /so is the count/)
  })
})

describe('a snooze request for a workload whose marks are lost and not restored yet', () => {
  it('costs no count, though its state seems to be an old copy', async () => {
    const { cluster, time, start } = aRig(NOON)
    const before = awake.snoozed({ at: at('Mon 9:00'), trigger: 'api' }).woken({ at: at('Mon 9:30') })
    cluster.put(before)
    await start()
    cluster.answer = () => new Refusal('CLUSTER_REJECTED', 'no')
    cluster.put(cluster.live(before).annotated({ state: undefined }))
    await time.pass(1)
    cluster.answer = undefined
    const plan = (workload: Workload) => planRequest(workload, { action: 'snooze' }, 'k8s:ana', NOON, RULES)
    await cluster.write(before, plan, { priority: 'request' })
    await time.passTo(at('Tue 8:01'))
    expect(cluster.live(before).replicas).to.equal(5)
  })
})
