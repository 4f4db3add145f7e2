import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { WatchedWorkloads } from '../../../../src/service/api/watch/watched-workloads.ts'
import { Evaluations } from '../../../../src/service/evaluating/evaluations.ts'
import type { WorkloadKey } from '../../../../src/domain/workload/workload.ts'
import { FakeCluster, aWorkload } from '../../../support/fake-cluster.ts'
import { FakeTime } from '../../../support/fake-time.ts'
import { DAY, MINUTE, RULES } from '../../../support/rules.ts'
import { aDeployment } from '../../../support/workloads.ts'
import { NOON } from '../service.ts'

describe('what streams of lists share', () => {
  let cluster: FakeCluster
  let time: FakeTime
  let watched: WatchedWorkloads

  beforeEach(() => {
    cluster = new FakeCluster()
    time = new FakeTime(NOON)
    const { clock } = time
    watched = new WatchedWorkloads({ workloads: cluster, rules: RULES, clock })
  })

  it('keeps nothing of a wait that has ended: a stream waits again and again for as long as it is open', async () => {
    const shared = watched.join()
    const { signal } = new AbortController()
    for (let count = 0; count < 100; count += 1) {
      const change = shared.changed(60_000, signal)
      cluster.put(aWorkload({ replicas: count }))
      await change
    }
    expect(getEventListeners(signal, 'abort')).to.have.length(0)
    const end = new AbortController()
    const aborted = shared.changed(60_000, end.signal)
    end.abort()
    await aborted
  })

  it('has records that are told again within a minute when the clock is set back: the override that had ended still runs', async () => {
    const { clock, later } = time
    const due = (keys: Iterable<WorkloadKey>) => cluster.inputsChanged(keys)
    const evaluations = new Evaluations({ workloads: cluster, rules: RULES, clock, later, due })
    cluster.onChange((before, after) => evaluations.changed(before, after))
    const overridden = aDeployment()
      .withReplicas(3)
      .enabled()
      .overridden(NOON + DAY)
    cluster.put(overridden)
    const shared = watched.join()
    const isOverridden = () =>
      (JSON.parse(shared.textOf(cluster.mustGet(overridden))) as { has_manual_override: boolean })
        .has_manual_override
    expect(isOverridden()).to.equal(true)
    time.jump(2 * DAY)
    await time.pass(MINUTE)
    expect(shared.log.end).to.equal(1)
    expect(isOverridden()).to.equal(false)
    time.jump(-2 * DAY)
    await time.pass(MINUTE)
    expect(shared.log.end).to.equal(2)
    expect(isOverridden()).to.equal(true)
  })
})
