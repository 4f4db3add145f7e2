import { decidedOnAStaleView } from '../faults/stale-views.ts'
import { describeOn } from '../support/clusters.ts'

/** The other kinds and beginnings are in test/long. */
describeOn('a request decided on a view one version behind', function (on) {
  this.timeout(300_000)
  decidedOnAStaleView(on, 'deployments', ['awake', 'asleep'])
})
