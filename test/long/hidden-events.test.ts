import { eachEventHidden } from '../faults/hidden-events.ts'
import { describeOn } from '../support/clusters.ts'

for (const kind of ['statefulsets', 'daemonsets', 'replicasets'] as const)
  describeOn(`an event of a watch that never comes: ${kind}`, (on) => eachEventHidden(on, kind))
