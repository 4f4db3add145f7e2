import { describeOn } from '../support/clusters.ts'
import { byAPersonWithFewRights } from './import-rights.ts'
import { keepsEveryCount } from './import-cells.ts'
import { takenOver } from './taken-over.ts'

// The other two, and all other cells, are in test/long.
for (const tool of ['py-kube-downscaler', 'kube-green'] as const)
  describeOn(`import of what ${tool} left asleep`, (on) => takenOver(on, tool))

describeOn('import of what kube-green left asleep, at any hour,', (on) =>
  keepsEveryCount(on, 'kube-green', [
    { hour: 'asleep', grace: '15m', policy: 'before', kills: [3, 20] },
    { hour: 'edge', grace: '0s', policy: 'after' },
  ]),
)

describeOn('import by a person with few rights', byAPersonWithFewRights)
