import { takenOver } from '../e2e/taken-over.ts'
import { describeOn } from '../support/clusters.ts'

for (const tool of ['gokubedownscaler', 'gokubedownscaler-main'] as const)
  describeOn(`import of what ${tool} left asleep`, (on) => takenOver(on, tool), 'real')
