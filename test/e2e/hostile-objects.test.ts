import { describeOn } from '../support/clusters.ts'
import { hostileObjects } from './hostile/hostile-objects.ts'

describeOn('objects with marks and specs that nobody should write', function (on) {
  this.timeout(400_000)
  hostileObjects(on, false)
})
