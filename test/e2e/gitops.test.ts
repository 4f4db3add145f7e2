import { describeOn } from '../support/clusters.ts'
import { gitOps } from './syncs.ts'

describeOn('GitOps by server-side apply', function (on) {
  this.timeout(120_000)
  gitOps(on, 10)
})
