import { eachEventHidden } from '../faults/hidden-events.ts'
import { describeOn } from '../support/clusters.ts'

describeOn('an event of a watch that never comes', function (on) {
  this.timeout(180_000)
  eachEventHidden(on, 'deployments')
})
