import { expect } from 'chai'
import { LastKnownMarks } from '../../../src/service/controller/last-known-marks.ts'
import { Planner } from '../../../src/service/controller/planner.ts'
import { Reconciler } from '../../../src/service/controller/reconciler.ts'
import { Refusal, type ErrorCode } from '../../../src/process/errors.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { decoded } from '../../support/readable.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { FakeCluster } from '../../support/fake-cluster.ts'
import { Told } from './told.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

const web = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00')
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const asleep = web.snoozed({ at: at('Mon 18:00') })

/** Woken, its pods ready: only `f:replicas` is left to give back. */
const ready = asleep
  .woken({ at: at('Tue 8:00'), trigger: 'schedule' })
  .inProgress({ type: 'wake', at: at('Tue 8:00') })
  .settled()
  .with({ ownReplicasEntry: 0 })

function reconciling(
  workload: typeof web,
  now = at('Mon 19:00'),
  scaledBy: () => string | undefined = () => undefined,
) {
  const cluster = new FakeCluster()
  const marks = new LastKnownMarks(RULES)
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => void lines.push(line) })
  cluster.put(workload)
  const told = new Told()
  const ports = { evaluations: evaluationsOf(RULES, () => now), scalings: { scaledBy }, clock: () => now }
  const planner = new Planner(ports, RULES, marks)
  const reconciler = new Reconciler({ writer: cluster, recorder: told, observer: told, logger }, planner)
  /** With the copy's own due step, or with an earlier one. */
  const reconcile = () => {
    const planned = planner.evaluate(cluster.get(web)!) ?? planner.evaluate(web)
    return reconciler.reconcile(web, planned!)
  }
  const levels = () => lines.map((line) => (JSON.parse(line) as { level: string }).level)
  return { cluster, marks, planner, levels, reconcile, told }
}

describe('an evaluation', () => {
  it('says how urgent it is: wakes, snoozes, then what moves no pods', () => {
    const evaluate = (workload: typeof web) => reconciling(workload).planner.evaluate(workload)?.priority
    expect(reconciling(asleep, at('Tue 9:00')).planner.evaluate(asleep)?.priority).to.equal('wake')
    expect(evaluate(web)).to.equal('snooze')
    expect(evaluate(asleep.scaledByHand(4)), 'adopted').to.equal('completion')
    expect(reconciling(ready, at('Tue 8:01')).planner.evaluate(ready)?.priority).to.equal('completion')
    expect(evaluate(asleep)).to.equal(undefined)
  })

  it('names the user whom the webhook let through to scale', async () => {
    const { cluster, reconcile } = reconciling(asleep.scaledByHand(4), at('Mon 20:00'), () => 'k8s:alice')
    await reconcile()
    expect(decoded(cluster.live(web).annotations).history[0]).to.include({
      trigger: 'manual',
      by: 'k8s:alice',
    })
  })

  it('puts lost marks before everything else', () => {
    const { planner, marks } = reconciling(asleep)
    marks.note(asleep)
    const undone = asleep.annotated(web.annotations)
    const planned = planner.evaluate(undone)
    expect(planned).to.include({ priority: 'completion', dueAt: undefined })
    const { state, history } = asleep.annotations
    expect(planned?.step.change?.annotations).to.deep.equal({ state, history })
  })
})

describe('a reconcile', () => {
  it('writes what is due, and says what moved the workload', async () => {
    const { cluster, levels, reconcile } = reconciling(web)
    const outcome = await reconcile()
    expect(outcome).to.have.property('type', 'done')
    expect(outcome).to.have.nested.property('moved.action', 'snooze')
    expect(outcome).to.have.nested.property('workload.replicas', 0)
    expect(cluster.patches).to.have.length(1)
    expect(levels()).to.deep.equal(['info'])
  })

  for (const [what, workload, now, patches] of [
    ['where nothing is due', asleep, at('Mon 19:00'), 0],
    ['by the completion of an operation', ready, at('Tue 8:01'), 1],
  ] as const)
    it(`moves nothing ${what}`, async () => {
      const { cluster, reconcile, levels } = reconciling(workload, now)
      expect(await reconcile()).to.include({ type: 'done', moved: undefined })
      expect([cluster.patches.length, levels()]).to.deep.equal([patches, []])
    })

  it('is told with what the cluster said where it refuses to have that written, too', async () => {
    const { cluster, reconcile, told } = reconciling(web)
    cluster.answer = () => new Refusal('CLUSTER_REJECTED', 'another account calls itself dormouse')
    expect(await reconcile()).to.include({ type: 'failed', why: 'refused' })
    expect(told.events).to.deep.equal(['Warning SnoozeFailed web'])
    expect(told.messages[0]).to.include('the sleep by its schedule').and.include('another account')
  })

  it('writes into the state what the cluster said, shortened', async () => {
    const { cluster, reconcile } = reconciling(web)
    const message = `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'two' denied request: two at least`
    cluster.answer = (_key, change) =>
      change.replicas === 0
        ? new Refusal('CLUSTER_REJECTED', `patch web: the cluster refused: ${message}`, {
            details: { message },
          })
        : undefined
    expect(await reconcile()).to.include({ type: 'done', moved: undefined })
    const { backoff } = decoded(cluster.get(web)!.annotations)
    expect(backoff).to.include({
      cause: 'failure',
      refusal: "ValidatingAdmissionPolicy 'two' denied request: two at least",
    })
  })

  it('is tried again soon where the cluster went away before the refusal was written', async () => {
    const { cluster, reconcile } = reconciling(web)
    cluster.answer = (_key, change) =>
      new Refusal(change.replicas === 0 ? 'CLUSTER_REJECTED' : 'CLUSTER_UNAVAILABLE', 'no')
    const tried = { priority: 'snooze', dueAt: at('Mon 18:00') }
    expect(await reconcile()).to.deep.equal({ type: 'failed', why: 'unavailable', tried })
  })

  it('that fails says how soon it may be tried again, and what was tried', async () => {
    const { cluster, reconcile } = reconciling(asleep.scaledByHand(4))
    const whys = async (code: ErrorCode) => {
      cluster.answer = () => new Refusal(code, 'no')
      return reconcile()
    }
    const tried = { priority: 'completion', dueAt: undefined }
    expect(await whys('CLUSTER_REJECTED')).to.deep.equal({ type: 'failed', why: 'refused', tried })
    for (const code of ['CLUSTER_UNAVAILABLE', 'CONFLICT', 'NOT_FOUND'] as const) {
      expect(await whys(code), code).to.deep.equal({ type: 'failed', why: 'unavailable', tried })
    }
  })
})
