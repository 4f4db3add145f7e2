import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../../src/domain/workload/workload.ts'
import { Inheritance } from '../../../src/domain/policy/inheritance.ts'
import { aNamespace } from '../../domain/policy/inheriting.ts'
import { settled } from '../../support/fake-time.ts'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aLaggingRig } from './rig.ts'

const web = aDeployment().withReplicas(3).enabled().scheduled('8:00-18:00,Mon-Fri')

/** A sleeper whose override ends at 20:00. The schedule wants it asleep then, so that edge writes the state alone. */
async function aSleeperWithAnOverride() {
  const rig = aLaggingRig(at('Mon 17:59'))
  const { cluster, time, controller } = rig
  cluster.put(web)
  await controller.start()
  await time.passTo(at('Mon 18:00:01'))
  cluster.podsFollow(web)
  await time.passTo(at('Mon 19:00'))
  const override = { until: at('Mon 20:00'), at: at('Mon 19:00'), by: 'k8s:alice' }
  cluster.put(cluster.live(web).remembering({ override }))
  await time.pass(SECOND)
  expect(cluster.live(web).labels?.[ASLEEP_LABEL]).to.equal('3')
  return rig
}

describe('the controller, when others change what its patch in flight does not test,', () => {
  it('restores the label that says asleep', async () => {
    const { time, cluster } = await aSleeperWithAnOverride()
    const { sent } = cluster
    cluster.onArrival = () => cluster.put(cluster.live(web).labelled(undefined))
    await time.passTo(at('Mon 20:00'))
    await time.pass(5 * MINUTE)
    expect(cluster.sent).to.be.above(sent)
    expect(cluster.live(web).labels?.[ASLEEP_LABEL]).to.equal('3')
  })

  it('takes over the count that somebody set while the answer was lost', async () => {
    const { time, cluster } = await aSleeperWithAnOverride()
    cluster.watch.cut()
    cluster.losesNextAnswer = true
    cluster.answerDelay = SECOND
    cluster.onWritten = () => cluster.put(cluster.live(web).scaledByHand(5).unsettled())
    await time.passTo(at('Mon 20:00'))
    await time.pass(3 * SECOND)
    cluster.watch.mend()
    await time.pass(5 * MINUTE)
    expect(cluster.live(web).replicas).to.equal(5)
    expect(cluster.live(web).state().asleep).to.equal(false)
  })

  it('gives f:replicas back after a wake whose pods followed while the answer was lost', async () => {
    const { time, cluster } = await aSleeperWithAnOverride()
    await time.passTo(at('Tue 7:59'))
    cluster.watch.cut()
    cluster.losesNextAnswer = true
    cluster.answerDelay = SECOND
    cluster.onWritten = () => cluster.podsFollow(web)
    await time.passTo(at('Tue 8:00:03'))
    cluster.watch.mend()
    await time.pass(MINUTE)
    expect(cluster.live(web).replicas).to.equal(3)
    expect(cluster.live(web).ownReplicasEntry).to.equal(undefined)
  })

  it('follows what its Namespace says meanwhile', async () => {
    const rig = aLaggingRig(at('Mon 20:00'))
    const { cluster, time, controller, rules } = rig
    const inheritance = new Inheritance([])
    let annotations = { enabled: 'true', schedule: '8:00-18:00,Mon-Fri' }
    rules.inherited = (workload) => inheritance.of(aNamespace({ annotations })).by(workload)
    cluster.answerDelay = SECOND
    cluster.onWritten = () => {
      annotations = { enabled: 'true', schedule: '18:00-23:00' }
      cluster.inputsChanged([inheriting])
    }
    const inheriting = aDeployment('shop/web').withReplicas(3)
    cluster.put(inheriting)
    await controller.start()
    await settled()
    await time.pass(5 * SECOND)
    expect(cluster.sent, 'a snooze, and a wake').to.be.at.least(2)
    expect(cluster.live(inheriting).replicas).to.equal(3)
  })
})
