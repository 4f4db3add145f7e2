import type { Kind } from '../../src/domain/workload/workload.ts'
import { BEGINNINGS, type Beginning } from '../faults/pairs.ts'
import { decidedOnAStaleView } from '../faults/stale-views.ts'
import { describeOn } from '../support/clusters.ts'

const ALL = Object.keys(BEGINNINGS) as Beginning[]
/** Only of Deployments as many as that can be without their pods. */
const PAIRS: readonly [Kind, readonly Beginning[]][] = [
  ['deployments', ALL],
  ['statefulsets', ['awake', 'asleep']],
  ['daemonsets', ['awake', 'asleep']],
  ['replicasets', ['awake', 'asleep']],
]

for (const [kind, beginnings] of PAIRS)
  describeOn(`any request decided on a view one version behind: ${kind}`, (on) =>
    decidedOnAStaleView(on, kind, beginnings),
  )
