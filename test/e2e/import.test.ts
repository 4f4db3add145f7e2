import { describeOn } from '../support/clusters.ts'
import { takenOver } from './taken-over.ts'

// The other two are in test/long.
for (const tool of ['py-kube-downscaler', 'kube-green'] as const)
  describeOn(`import of what ${tool} left asleep`, (on) => takenOver(on, tool), 'real')
