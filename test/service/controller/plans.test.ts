import { expect } from 'chai'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { keyringOf } from '../../support/signed.ts'
import { aDeployment } from '../../support/workloads.ts'
import { settled } from '../../support/fake-time.ts'
import { aRig, aStarted } from './rig.ts'

const WAVE = 100
const wave = Array.from({ length: WAVE }, (_, index) =>
  aDeployment(`shop/web-${index}`)
    .withReplicas(3)
    .enabled()
    .scheduled('8:00-18:00,Mon-Fri')
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' }),
)
const [web] = wave as [(typeof wave)[0]]

async function aWave(now = at('Mon 17:00')) {
  const rig = aRig(now, { concurrency: 32 })
  for (const workload of wave) rig.cluster.put(workload)
  await rig.start()
  const before = () => ({ plans: rig.planned(), sent: rig.cluster.sent })
  /** Plans and writes a workload, since `from`. */
  const since = (from: { plans: number; sent: number }) => ({
    plans: (rig.planned() - from.plans) / WAVE,
    writes: (rig.cluster.sent - from.sent) / WAVE,
  })
  const podsFollow = async () => {
    for (const workload of wave) rig.cluster.podsFollow(workload)
    await settled()
  }
  return { ...rig, before, since, podsFollow }
}

describe('a wave at an edge', () => {
  it('is planned once a transition, and once more as it was written', async () => {
    const { time, before, since, podsFollow } = await aWave()
    const awake = before()
    await time.passTo(at('Mon 18:00'))
    expect(since(awake)).to.deep.equal({ plans: 2, writes: 1 })
    await podsFollow()
    const asleep = before()
    await time.passTo(at('Tue 8:00'))
    expect(since(asleep)).to.deep.equal({ plans: 2, writes: 1 })
  })
})

describe('a plan that waits for its worker', () => {
  /** A workload that is due while the only worker is busy with another. */
  async function waiting() {
    const rig = aRig(at('Mon 17:59:59'), { concurrency: 1 })
    const other = wave[1]!
    rig.cluster.put(web)
    rig.cluster.put(other)
    await rig.start()
    const letGo = rig.cluster.hold()
    await rig.time.passTo(at('Mon 18:00'))
    const release = async () => {
      letGo()
      rig.cluster.delay = () => Promise.resolve()
      await settled()
    }
    const second = rig.cluster.sent
    expect(second).to.equal(1)
    return { ...rig, other, release }
  }

  it('is sent as it is, if its copy is still the same', async () => {
    const { time, planned, cluster, other, release } = await waiting()
    const plans = planned()
    await time.pass(SECOND)
    await release()
    expect(planned() - plans, 'as it and the other were written').to.equal(2)
    expect(cluster.live(other).state().snoozed?.at).to.equal(at('Mon 18:00'))
  })

  it('is made anew once it is old, so that what is written is dated truly', async () => {
    const { time, cluster, other, release } = await waiting()
    await time.pass(5 * SECOND)
    await release()
    expect(cluster.live(other).state().snoozed?.at).to.equal(at('Mon 18:00:05'))
  })

  it('is made anew where the workload has changed', async () => {
    const { cluster, moves, other, release } = await waiting()
    cluster.put(other.withReplicas(7))
    cluster.put(other.withReplicas(7).labelled({ app: 'other' }))
    await release()
    expect(moves()).to.deep.equal(['snooze shop/web-0', 'snooze shop/web-1'])
    expect(cluster.live(other).state().snoozed?.replicas).to.equal(7)
  })

  it('is made anew where the keys of states came meanwhile, so that what is written is signed', async () => {
    const { rules, cluster, other, release } = await waiting()
    const keyring = keyringOf()
    rules.keyring = () => keyring
    await release()
    // A write without a signature would be put right by another, which drops what the first one said.
    expect(cluster.live(other).state().history[0]?.trigger).to.equal('schedule')
  })

  it('is made anew where a thousand others wait: so many are kept at most', async () => {
    const rig = aRig(at('Mon 17:59:59'), { concurrency: 1 })
    for (let index = 0; index < 1020; index++)
      rig.cluster.put(
        aDeployment(`shop/web-${index}`).withReplicas(3).enabled().scheduled('8:00-18:00,Mon-Fri'),
      )
    await rig.start()
    const letGo = rig.cluster.hold()
    await rig.time.passTo(at('Mon 18:00'))
    await settled()
    const plans = rig.planned()
    letGo()
    rig.cluster.delay = () => Promise.resolve()
    while (rig.moves().length < 1020) await settled()
    expect(rig.planned() - plans, 'and all as they were written').to.equal(1020 + 19)
  })

  it('is given up when nothing is due any more', async () => {
    const { cluster, moves, other, release } = await waiting()
    cluster.put(other.scheduled('8:00-20:00'))
    await release()
    expect(moves()).to.deep.equal(['snooze shop/web-0'])
  })
})

describe('what others change while a write is on its way', () => {
  it('is not forgotten where it comes before the answer', async () => {
    const { time, cluster } = await aStarted(at('Mon 17:59'), web)
    let changed = false
    cluster.onChange((_, after) => {
      if (after?.replicas !== 0 || changed) return
      changed = true
      cluster.put(cluster.live(web).scheduled('7:00-19:00'))
    })
    await time.passTo(at('Mon 18:00'))
    await time.pass(MINUTE)
    expect(cluster.live(web).state()).to.include({ asleep: false })
  })

  it('ends an operation whose pods followed before the answer, and it is counted', async () => {
    const { time, cluster, told } = await aStarted(at('Mon 17:59'), web)
    let followed = false
    cluster.onChange((_, after) => {
      if (after?.replicas !== 0 || followed) return
      followed = true
      cluster.podsFollow(web)
    })
    await time.passTo(at('Mon 18:00'))
    expect(told.operations).to.deep.equal(['snooze schedule deployments succeeded'])
  })
})
