import { describeOn } from '../support/clusters.ts'
import { byAPersonWithFewRights } from './import-rights.ts'
import { keepsEveryCount } from './import-cells.ts'
import { inAnOldCluster, policiesOf } from './old-cluster.ts'
import { takenOver } from './taken-over.ts'

// The other two tools, and all other cells, are in test/long.
describeOn('import of what py-kube-downscaler left asleep', (on) =>
  takenOver(inAnOldCluster(on, 'py-kube-downscaler', policiesOf('py-kube-downscaler'))),
)

describeOn('import of what kube-green left asleep', (on) => {
  const old = inAnOldCluster(on, 'kube-green')
  takenOver(old)
  describe('by a person with few rights', () => byAPersonWithFewRights(old))
  describe('at any hour,', () =>
    keepsEveryCount(old, [
      { hour: 'asleep', grace: '15m', policy: 'before', kills: [3, 20] },
      { hour: 'edge', grace: '0s', policy: 'after' },
    ]))
})
