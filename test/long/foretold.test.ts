import { comesTrue } from '../e2e/foretold.ts'
import { describeOn } from '../support/clusters.ts'

describeOn('dormouse check, of 3,000 workloads', (on) =>
  comesTrue(on, { namespaces: 60, workloadsEach: 50, kinds: ['deployments', 'cronjobs'], rounds: 3 }),
)
