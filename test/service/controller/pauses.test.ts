import { expect } from 'chai'
import { configuredRows } from '../../../src/domain/companions/configured.ts'
import { valueOf } from '../../../src/domain/companions/companion.ts'
import { trimCompanion } from '../../../src/kubernetes/companion-store.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { ASLEEP_LABEL } from '../../../src/domain/workload/workload.ts'
import { FakeKeda } from '../../support/fake-keda.ts'
import { settled } from '../../support/fake-time.ts'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { aScaledObject, PAUSED } from '../../support/scaled-objects.ts'
import { aDeployment, aStatefulSet } from '../../support/workloads.ts'
import { aRig, type Options, web } from './rig.ts'

const asleep = web.snoozed({ at: at('Mon 18:00') })
const GROUP = 'example.com'
const NIGHT = at('Mon 20:00')
const scaler = aScaledObject({ minReplicaCount: 1 })
const paused = aScaledObject({ minReplicaCount: 1, annotations: PAUSED })

const [BROKERS] = configuredRows({
  owners: [{ resource: `brokers.${GROUP}`, pause: { path: '.spec.paused', asleep: true } }],
})
const SERVED = { base: `/apis/${GROUP}/v1`, kind: 'Broker' }
const broker = trimCompanion(BROKERS!, SERVED, {
  metadata: { namespace: 'shop', name: 'broker', uid: 'broker', resourceVersion: '1' },
  ...{ spec: {} },
})
/** A sleeper that the broker owns. */
const owned = (name: string, schedule: string) =>
  aStatefulSet(`shop/${name}`)
    .with({ uid: name, owner: { apiVersion: `${GROUP}/v1`, kind: 'Broker', name: 'broker' } })
    .withReplicas(3)
    .enabled()
    .scheduled(schedule)
    .snoozed({ at: at('Mon 18:00') })

/** The writes in their order: `snooze shop/web`, `pause shop/web`. */
function recorded(now: number, options?: Options) {
  const rig = aRig(now, options)
  const writes: string[] = []
  const { push } = rig.keda.writes
  rig.keda.writes.push = (...items) => {
    writes.push(...items)
    return push.apply(rig.keda.writes, items)
  }
  const { push: pushPatch } = rig.cluster.patches
  rig.cluster.patches.push = (...items) => {
    for (const { change } of items)
      if (change.replicas !== undefined) writes.push(`${change.replicas === 0 ? 'snooze' : 'wake'} shop/web`)
    return pushPatch.apply(rig.cluster.patches, items)
  }
  return { ...rig, recorded: writes }
}

/** At night, started over a sleeper and its ScaledObject, once `prepare` is done. */
async function beside(scaledObject = scaler, prepare: (rig: ReturnType<typeof recorded>) => void = () => {}) {
  const rig = recorded(NIGHT, { writesPerWorkload: 5 })
  rig.cluster.put(asleep)
  rig.keda.put(scaledObject)
  prepare(rig)
  await rig.start()
  return rig
}

describe('the controller beside KEDA', () => {
  it('puts a workload to sleep before it pauses its ScaledObject, and wakes it before it ends that', async () => {
    const { cluster, keda, start, time, recorded: writes } = recorded(at('Mon 17:59'))
    cluster.put(web)
    keda.put(scaler)
    await start()
    expect(writes).to.deep.equal([])
    await time.passTo(at('Mon 18:00'))
    expect(writes).to.deep.equal(['snooze shop/web', 'pause shop/web'])
    await time.passTo(at('Tue 8:00'))
    expect(writes.slice(2)).to.deep.equal(['wake shop/web', 'unpause shop/web'])
    expect(keda.annotations()).to.deep.equal({})
  })

  it('repairs what a poll does between the two writes', async () => {
    const { cluster, keda, start, time, recorded: writes } = recorded(at('Mon 17:59'))
    cluster.put(web)
    keda.put(scaler)
    await start()
    let paused = () => {}
    keda.delay = () => new Promise((resolve) => void (paused = resolve))
    await time.passTo(at('Mon 18:00'))
    cluster.put(cluster.live(web).scaledByHand(1, 'keda'))
    await settled()
    paused()
    await settled()
    expect(writes).to.deep.equal(['snooze shop/web', 'snooze shop/web', 'pause shop/web'])
    expect(cluster.live(web).replicas).to.equal(0)
    expect(cluster.live(web).state().snoozed?.replicas).to.equal(3)
  })

  it('keeps the pause beside a sleeper whose label was dropped with its count, until that is put right', async () => {
    const { cluster, keda, recorded: writes } = await beside(paused)
    let paces = () => {}
    cluster.delay = () => new Promise((resolve) => void (paces = resolve))
    cluster.put(asleep.withoutLabel(ASLEEP_LABEL).editedTo(3, 'cluster-operator'))
    await settled()
    expect(writes, 'while the repair is under way').to.deep.equal([])
    paces()
    await settled()
    expect(writes).to.deep.equal(['snooze shop/web'])
    expect(keda.annotations()).to.have.property('dormouse.dev/paused')
  })

  it('ends the pause of an owner that a sleeper leaves', async () => {
    const { cluster, keda, start } = aRig(NIGHT, { keda: new FakeKeda(BROKERS, SERVED) })
    cluster.put(owned('broker', '8:00-18:00'))
    keda.put(broker)
    await start()
    expect(keda.writes).to.deep.equal(['pause shop/broker'])
    cluster.put(cluster.live(owned('broker', '')).with({ owner: undefined }))
    await settled()
    expect(keda.writes).to.deep.equal(['pause shop/broker', 'unpause shop/broker'])
  })

  it('ends the pause of an owner once the last of its workloads has woken, and not before', async () => {
    const { cluster, keda, start, time } = aRig(NIGHT, { keda: new FakeKeda(BROKERS, SERVED) })
    cluster.put(owned('early', '7:00-18:00'))
    cluster.put(owned('late', '8:00-18:00'))
    keda.put(broker)
    await start()
    await time.passTo(at('Tue 7:30'))
    expect(cluster.live(owned('early', '')).replicas).to.equal(3)
    expect(keda.writes).to.deep.equal(['pause shop/broker'])
    await time.passTo(at('Tue 8:00'))
    expect(keda.writes).to.deep.equal(['pause shop/broker', 'unpause shop/broker'])
  })

  it('pauses one that scales a workload of a configured kind, once the cluster tells what that is called', async () => {
    const { cluster, keda, start, recorded: writes } = recorded(NIGHT)
    const kind = 'rollouts.argoproj.io'
    const target = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' }
    keda.names.set(kind, undefined)
    const rollout = aDeployment().with({ kind }).withReplicas(3).enabled()
    cluster.put(rollout.scheduled('8:00-18:00,Mon-Fri').snoozed({ at: at('Mon 18:00') }))
    keda.put(aScaledObject({ target }))
    keda.put(
      aScaledObject({ name: 'copy', uid: 'scaler-2', target: { ...target, name: 'x' }, annotations: PAUSED }),
    )
    await start()
    expect(writes).to.deep.equal([])
    cluster.goes([kind])
    keda.names.set(kind, 'Rollout')
    cluster.returns([kind])
    await settled()
    expect(writes).to.have.members(['pause shop/web', 'unpause shop/copy'])
  })

  it('concludes nothing from copies that may be old', async () => {
    const { cluster, recorded: writes } = await beside(paused)
    cluster.goes()
    cluster.remove(asleep)
    await settled()
    expect(writes).to.deep.equal([])
    cluster.returns()
    await settled()
    expect(writes).to.deep.equal(['unpause shop/web'])
  })

  it('waits for the watch of ScaledObjects to be connected again', async () => {
    const { keda } = await beside(scaler, (rig) => rig.keda.connect(false))
    expect(keda.writes).to.deep.equal([])
    keda.connect(true)
    await settled()
    expect(keda.writes).to.deep.equal(['pause shop/web'])
  })

  for (const [title, code, pause, events] of [
    [
      'tells people what the cluster refuses, and tries it again later',
      'CLUSTER_REJECTED',
      10,
      ['Warning PauseFailed web'],
    ],
    ['tries again at once where it lost a race or the cluster was away', 'CLUSTER_UNAVAILABLE', 1, []],
  ] as const)
    it(title, async () => {
      const { keda, time, told } = await beside(scaler, (rig) => {
        rig.keda.answer = () => new Refusal(code, 'forbidden')
      })
      expect(told.events).to.deep.equal(events)
      if (events.length > 0)
        expect(told.messages[0]).to.include(
          'ScaledObject web could not be written, so it is not paused and may wake it: forbidden',
        )
      keda.answer = undefined
      await time.pass(pause * SECOND)
      expect(keda.writes).to.deep.equal(['pause shop/web'])
    })

  it('ends a fight with somebody who takes the pause away each time', async () => {
    const { keda, time, told } = await beside(scaler, (rig) =>
      rig.keda.onChange((_, after) => {
        if (after && valueOf(after) === '0') rig.time.later(() => rig.keda.put(scaler), 100)
      }),
    )
    await time.pass(MINUTE)
    expect(keda.writes.length).to.be.at.most(6)
    expect(told.events).to.include('Warning TooManyWrites web')
  })

  it('keeps a fault of ours over one workload from all others, and tries that one again later', async () => {
    const { cluster, keda, start, time, told, rules } = recorded(NIGHT)
    const { compile } = rules
    let faulty = true
    rules.compile = (text, zone) => {
      if (faulty && text === '9:00-17:00') throw new TypeError('a bug of ours')
      return compile(text, zone)
    }
    cluster.put(asleep.with({ name: 'odd', uid: 'odd' }).scheduled('9:00-17:00'))
    keda.put(aScaledObject({ name: 'odd', uid: 'scaler-2', target: { name: 'odd' } }))
    cluster.put(asleep)
    keda.put(scaler)
    await start()
    expect(keda.writes).to.deep.equal(['pause shop/web'])
    expect(told.failures, 'counted for the alert').to.be.within(1, 4)
    await time.pass(30 * SECOND)
    expect(told.failures).to.be.within(2, 10)
    faulty = false
    await time.pass(2 * MINUTE)
    expect(keda.writes).to.deep.equal(['pause shop/web', 'pause shop/odd'])
  })

  it('leaves excluded namespaces alone', async () => {
    const { cluster, keda, start, recorded: writes } = recorded(NIGHT)
    cluster.put(asleep.with({ namespace: 'kube-system' }))
    keda.put(aScaledObject({ namespace: 'kube-system', annotations: PAUSED, target: { name: 'nothing' } }))
    await start()
    expect(writes).to.deep.equal([])
  })

  for (const [what, after, writes] of [
    ['is no longer paused by others', scaler, ['pause shop/web']],
    ['scales another workload now', aScaledObject({ minReplicaCount: 1, target: { name: 'other' } }), []],
  ] as const)
    it(`evaluates a workload again when its ScaledObject ${what}`, async () => {
      const { cluster, keda, start } = recorded(NIGHT)
      cluster.put(web)
      keda.put(aScaledObject({ minReplicaCount: 1, annotations: { paused: 'true' } }))
      await start()
      expect(cluster.live(web).replicas).to.equal(3)
      keda.put(after)
      await settled()
      expect(cluster.live(web).replicas).to.equal(0)
      expect(keda.writes).to.deep.equal(writes)
    })

  it('writes nothing more once it is stopped, and completes what is left at the next start', async () => {
    const { cluster, keda, controller, start } = recorded(NIGHT)
    keda.put(scaler)
    await start()
    await controller.stop()
    cluster.put(asleep)
    await settled()
    expect(keda.writes).to.deep.equal([])
    await start()
    expect(keda.writes).to.deep.equal(['pause shop/web'])
  })
})
