import { expect } from 'chai'
import { WatchedWorkloads } from '../../../../src/service/api/watch/watched-workloads.ts'
import { FakeTime } from '../../../support/fake-time.ts'
import { DAY, MINUTE } from '../../../support/rules.ts'
import { aDeployment } from '../../../support/workloads.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { NOON, rules } from '../service.ts'

const overridden = aDeployment()
  .withReplicas(3)
  .enabled()
  .overridden(NOON + DAY)

/** What streams share, with one workload whose override ends tomorrow. */
function watching() {
  const time = new FakeTime(NOON)
  const cluster = new FakeCluster()
  cluster.put(overridden)
  const { clock, monotonic, later } = time
  const { log, records } = new WatchedWorkloads({ workloads: cluster, rules, clock, monotonic }, later).join()
  const isOverridden = () =>
    (JSON.parse(records.textOf(overridden)) as { has_manual_override: boolean }).has_manual_override
  return { time, records, isOverridden, told: () => log.end }
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

  it('are told again where the clock was wrong for a second only', async () => {
    const { time, isOverridden, told } = watching()
    time.jump(2 * DAY)
    expect(isOverridden()).to.equal(false)
    await time.pass(1000)
    time.jump(-2 * DAY)
    await time.pass(MINUTE)
    expect(told()).to.equal(1)
  })

  it('are told at the newest of the instants that were found for a workload, once', async () => {
    const { time, told, records } = watching()
    for (let n = 1000; n >= 0; n -= 1) records.textOf(overridden.overridden(NOON + MINUTE + n))
    await time.pass(2 * MINUTE)
    expect(told()).to.equal(1)
  })
})
