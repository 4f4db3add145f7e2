import { expect } from 'chai'
import { WatchedWorkloads } from '../../../../src/service/api/watch/watched-workloads.ts'
import { Evaluations } from '../../../../src/service/evaluating/evaluations.ts'
import type { WorkloadKey } from '../../../../src/domain/workload/workload.ts'
import { FakeTime } from '../../../support/fake-time.ts'
import { DAY, MINUTE } from '../../../support/rules.ts'
import { aDeployment } from '../../../support/workloads.ts'
import { FakeCluster } from '../../../support/fake-cluster.ts'
import { NOON, rules } from '../service.ts'

const overridden = aDeployment()
  .withReplicas(3)
  .enabled()
  .overridden(NOON + DAY)

/** What streams share, with one workload whose override ends tomorrow. */
function watching() {
  const time = new FakeTime(NOON)
  const cluster = new FakeCluster()
  const { clock, later } = time
  const due = (keys: Iterable<WorkloadKey>) => cluster.inputsChanged(keys)
  const evaluations = new Evaluations({ workloads: cluster, rules, clock, later, due })
  cluster.onChange((before, after) => evaluations.changed(before, after))
  cluster.put(overridden)
  const { log, records } = new WatchedWorkloads({ workloads: cluster, rules, clock }).join()
  const isOverridden = () =>
    (JSON.parse(records.textOf(cluster.mustGet(overridden))) as { has_manual_override: boolean })
      .has_manual_override
  return { time, isOverridden, told: () => log.end }
}

describe('the records that streams of lists tell', () => {
  it('are told again within a minute when the clock is set back: the override that had ended still runs', async () => {
    const { time, isOverridden, told } = watching()
    expect(isOverridden()).to.equal(true)
    time.jump(2 * DAY)
    await time.pass(MINUTE)
    expect(told()).to.equal(1)
    expect(isOverridden()).to.equal(false)
    time.jump(-2 * DAY)
    await time.pass(MINUTE)
    expect(told()).to.equal(2)
    expect(isOverridden()).to.equal(true)
  })
})
