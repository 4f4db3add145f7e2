import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { WatchedWorkloads } from '../../../../src/service/api/watch/watched-workloads.ts'
import { NOON, rules } from '../service.ts'
import { FakeCluster, aWorkload } from '../../../support/fake-cluster.ts'

describe('what streams of lists share', () => {
  it('keeps nothing of a wait that has ended: a stream waits again and again for as long as it is open', async () => {
    const cluster = new FakeCluster()
    const watched = new WatchedWorkloads({ workloads: cluster, rules, clock: () => NOON })
    const shared = watched.join()
    const { signal } = new AbortController()
    for (let count = 0; count < 100; count += 1) {
      const change = shared.changed(60_000, signal)
      cluster.put(aWorkload({ replicas: count }))
      await change
    }
    expect(getEventListeners(signal, 'abort')).to.have.length(0)
    watched.leave()
    watched.close()
  })

  it('ends a wait when it is aborted', async () => {
    const watched = new WatchedWorkloads({
      workloads: new FakeCluster(),
      rules,
      clock: () => NOON,
    })
    const end = new AbortController()
    const change = watched.join().changed(60_000, end.signal)
    end.abort()
    await change
    watched.leave()
    watched.close()
  })
})
