import { expect } from 'chai'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import type { Reading } from '../../../src/domain/workload/reading.ts'
import { decodeState } from '../../../src/domain/workload/state-codec.ts'
import { Evaluations } from '../../../src/service/evaluating/evaluations.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { FakeCluster } from '../../support/fake-cluster.ts'
import { aRig } from '../controller/rig.ts'
import { WorkloadTracker } from '../../../src/service/metrics/workload-tracker.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { at, DAY, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { keyringOf } from '../../support/signed.ts'
import { aDeployment } from '../../support/workloads.ts'
import { inheriting } from '../../domain/policy/inheriting.ts'

const web = aDeployment('shop/web')
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00')
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })

function evaluating(now = at('Mon 12:00'), rules: Rules = RULES) {
  const time = new FakeTime(now)
  const cluster = new FakeCluster()
  const planned: string[] = []
  const due: string[] = []
  const { clock, later } = time
  const evaluations = new Evaluations({
    workloads: cluster,
    rules,
    clock,
    later,
    plan: (workload, ...rest) => {
      planned.push(workload.name)
      return planStep(workload, ...rest)
    },
    due: (keys: Iterable<WorkloadKey>) => {
      due.push(...[...keys].map(keyOf))
      cluster.inputsChanged(keys)
    },
  })
  cluster.onChange((before, after) => evaluations.changed(before, after))
  const copy = () => cluster.get(web)!
  return { time, cluster, evaluations, planned, due, copy }
}

describe('the evaluation of a copy', () => {
  it('is made once, however many ask for it', () => {
    const { cluster, evaluations, planned, copy } = evaluating()
    cluster.put(web)
    for (let n = 0; n < 5; n++) expect(evaluations.of(copy()).step.decision.action).to.equal('none')
    expect(planned).to.deep.equal(['web'])
  })

  it('is made once at a change, for the controller with its warnings, the wake order, and metrics', async () => {
    const planned: string[] = []
    const rig = aRig(at('Mon 12:00'), {
      plan: (workload, ...rest) => {
        planned.push(workload.name)
        return planStep(workload, ...rest)
      },
    })
    const { cluster, evaluations, rules, time } = rig
    const tracker = new WorkloadTracker({ evaluations, rules, clock: time.clock })
    cluster.onChange((before, after) => tracker.changed(before, after))
    cluster.put(web)
    await rig.start()
    planned.length = 0
    cluster.put(cluster.live(web).scheduled('8'))
    await settled()
    expect(rig.told.events).to.deep.equal(['Warning InvalidSchedule web'])
    expect(planned).to.deep.equal(['web'])
  })

  it('reads the state of a copy once, also for another time, other inputs, and whoever hears of its end', () => {
    const { time, cluster, evaluations, copy } = evaluating()
    cluster.put(web)
    const first = copy()
    const { written } = evaluations.reading(first) as Reading
    const forgotten = () => {
      // More texts than the codec remembers.
      for (let n = 0; n < 100; n++)
        decodeState(aDeployment().woken({ at: at('Mon 7:00') + n }).annotations.state!)
    }
    forgotten()
    time.jump(7 * HOUR)
    expect((evaluations.of(first).reading as Reading).written).to.equal(written)
    forgotten()
    cluster.inputsChanged([first])
    expect((evaluations.reading(first) as Reading).written).to.equal(written)
    let told: unknown
    cluster.onChange((before) => {
      forgotten()
      told = before && (evaluations.reading(before) as Reading).written
    })
    cluster.put(web.with({ replicas: 4 }))
    expect(told).to.equal(written)
  })

  it('takes the settings of a copy anew when what it inherits has changed', () => {
    let schedule = '8:00-18:00'
    const rules = { ...RULES, inherited: () => inheriting({ namespace: { schedule } }) }
    const { cluster, evaluations, copy } = evaluating(at('Mon 12:00'), rules)
    cluster.put(web.annotated({ schedule: undefined }))
    expect(evaluations.of(copy()).step.decision.action).to.equal('none')
    schedule = '13:00-14:00'
    cluster.inputsChanged([copy()])
    expect(evaluations.of(copy()).step.decision.action).to.equal('snooze')
    expect((evaluations.reading(copy()) as Reading).schedule?.text).to.equal('13:00-14:00')
  })

  it('is made anew where the keys of states came after it, since its write is to be signed', () => {
    const keys = keyringOf()
    let keyring = keyringOf({ secrets: [] })
    const { cluster, evaluations, copy } = evaluating(at('Mon 19:00'), { ...RULES, keyring: () => keyring })
    cluster.put(aDeployment('shop/web').withReplicas(3).enabled().scheduled('8:00-18:00'))
    const { annotations: unsigned } = evaluations.of(copy()).step.change!
    keyring = keys
    const { annotations } = evaluations.of(copy()).step.change!
    const trusts = [unsigned, annotations].map(({ state }) =>
      keys.trustIn(aDeployment('shop/web').annotated({ state: state! })),
    )
    expect(trusts).to.deep.equal(['count', undefined])
  })

  it('costs nothing at a change of the status alone, until somebody asks', () => {
    const { cluster, evaluations, planned, copy } = evaluating()
    cluster.put(web)
    cluster.put(web.with({ pods: { ...web.pods, existing: web.pods.existing + 1 } }))
    expect(planned).to.have.length(1)
    expect(evaluations.of(copy()).reading).to.have.property('workload', copy())
    expect(planned).to.have.length(2)
  })

  it('is made anew at the instant at which time changes it, and all are told', async () => {
    const { time, cluster, evaluations, planned, due, copy } = evaluating()
    cluster.put(web)
    await time.passTo(at('Mon 18:00'))
    expect([due, planned.length]).to.deep.equal([['deployments/shop/web'], 2])
    expect(evaluations.of(copy()).step.decision.action).to.equal('snooze')
    expect(planned).to.have.length(2)
  })

  it('is told of at that instant also where somebody has asked for it just before', async () => {
    const { time, cluster, evaluations, due, copy } = evaluating()
    cluster.put(web)
    await time.passTo(at('Mon 17:59:59'))
    time.jump(1000)
    expect(evaluations.of(copy()).step.decision.action).to.equal('snooze')
    expect(due).to.deep.equal([])
    await time.pass(1000)
    expect(due).to.deep.equal(['deployments/shop/web'])
  })

  it('of one that is newer than the copy, as a live read found it, is told of, too', async () => {
    const { time, cluster, evaluations, due, copy } = evaluating()
    cluster.put(web.scheduled('8:00-20:00'))
    cluster.watch.cut()
    cluster.put(web)
    evaluations.of(cluster.live(web))
    expect(copy().annotations.schedule).to.equal('8:00-20:00')
    await time.passTo(at('Mon 18:00'))
    expect(due).to.deep.equal(['deployments/shop/web'])
  })

  it('of a newer one counts no longer once the informer has a copy that means what its last one did', async () => {
    const { time, cluster, evaluations, due } = evaluating()
    cluster.put(web)
    // A live read finds it without hours; a list, which leaves out what lay between, has it with the same hours again.
    evaluations.of(cluster.live(web).annotated({ schedule: undefined }).with({ resourceVersion: '500' }))
    cluster.put(cluster.live(web).with({ resourceVersion: '900' }))
    await time.passTo(at('Mon 18:00'))
    expect(due.at(-1)).to.equal('deployments/shop/web')
    expect(evaluations.of(cluster.mustGet(web)).step.decision.action).to.equal('snooze')
  })

  it('is told of when an override or a backoff ends, though nothing is to be done then, and else waits for no time', async () => {
    const until = at('Mon 13:00')
    for (const held of [
      aDeployment('shop/web').enabled().overridden(until),
      aDeployment('shop/web').enabled().inBackoff(until),
    ] as Workload[]) {
      const { time, cluster, due } = evaluating()
      cluster.put(held)
      cluster.put(aDeployment('shop/plain'))
      await time.pass(HOUR - 1)
      expect(due).to.have.length(0)
      await time.pass(1 + DAY)
      expect(due).to.deep.equal(['deployments/shop/web'])
    }
  })

  it('is made anew within a minute when the clock was set back, and nothing is told of one that is gone', async () => {
    const { time, cluster, due, copy, evaluations } = evaluating(at('Mon 12:00') + DAY)
    cluster.put(web)
    cluster.put(aDeployment('shop/gone').withReplicas(1))
    cluster.remove(aDeployment('shop/gone'))
    time.jump(-DAY)
    await time.pass(MINUTE)
    expect(due).to.deep.equal(['deployments/shop/web'])
    expect(evaluations.of(copy()).at).to.be.below(at('Mon 13:00'))
  })

  it('of a write is not used for long: its operation is dated when it was planned', async () => {
    const { time, cluster, evaluations, copy } = evaluating(at('Mon 19:00'))
    cluster.put(web)
    const before = evaluations.of(copy())
    expect(before.step.isDue).to.equal(true)
    await time.pass(10_000)
    expect(evaluations.of(copy()).at).to.equal(before.at + 10_000)
  })
})
