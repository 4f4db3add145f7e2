import { describeOn } from '../support/clusters.ts'
import { byAPersonWithFewRights } from './import-rights.ts'
import { keepsEveryCount } from './import-cells.ts'
import { inAnOldCluster, policiesOf } from './old-cluster.ts'
import { takenOver } from './taken-over.ts'

// The other two tools, and all other cells, are in test/long.
describeOn('import of what gokubedownscaler-main left asleep', (on) =>
  takenOver(inAnOldCluster(on, 'gokubedownscaler-main', policiesOf('gokubedownscaler-main'))),
)

describeOn('import of what kube-green left asleep', (on) => {
  const old = inAnOldCluster(on, 'kube-green')
  takenOver(old)
  describe('by a person with few rights', () => byAPersonWithFewRights(old))
  describe('at any hour,', () =>
    keepsEveryCount(old, [{ hour: 'asleep', grace: '15m', policy: 'after', kills: [3, 20] }]))
})
