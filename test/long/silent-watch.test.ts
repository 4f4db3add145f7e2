import { comesToRest, reschedule, type Scheduled, type Want } from '../faults/resting.ts'
import type { TappedWatch } from '../faults/tapped-watch.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'

describeOn('a watch that says nothing or what is wrong', function (on) {
  const here = throughFaults(on, { newWorkloadGrace: '0s' })
  const workload: Scheduled = { kind: 'deployments', name: 'watched', count: 2 }
  let operations = 0

  before('a workload runs', async () => {
    const annotations = annotated(awakeNow())
    const { kind, name, count } = workload
    await here.cluster.create(here.namespace, [manifest(kind, name, { replicas: count, annotations })])
    await here.settled(kind, name)
  })

  function recovers(fault: string, begin: (watch: TappedWatch) => void): void {
    it(`${fault}: a schedule changed meanwhile is followed, once`, async () => {
      const want: Want = operations % 2 === 0 ? 'asleep' : 'awake'
      for (const watch of here.proxy.watches(workload.kind)) begin(watch)
      await reschedule(here, workload, want)
      operations += 1
      await comesToRest(here, workload, want, { operations, timeout: 300_000 })
    })
  }

  recovers('silent watch', (watch) => watch.freeze())
  recovers('half an event, then nothing', (watch) =>
    watch.sayHalf({ type: 'MODIFIED', object: { metadata: { name: 'watched' } } }),
  )
  recovers('a bookmark from the future', (watch) => watch.say(bookmark('999999999')))
  recovers('a bookmark from the future, then the end', (watch) => {
    watch.say(bookmark('999999999'))
    watch.cut()
  })
  recovers('a bookmark from the past', (watch) => watch.say(bookmark('1')))
})

function bookmark(resourceVersion: string): object {
  return {
    type: 'BOOKMARK',
    object: { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { resourceVersion } },
  }
}
