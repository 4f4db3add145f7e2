import { hostileObjects } from '../e2e/hostile/hostile-objects.ts'
import { describeOn } from '../support/clusters.ts'

describeOn('objects that nobody should write, beside others at the edges of their hours', (on) =>
  hostileObjects(on, true),
)
