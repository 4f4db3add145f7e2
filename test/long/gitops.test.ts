import { gitOps } from '../e2e/syncs.ts'
import { describeOn } from '../support/clusters.ts'

describeOn('GitOps by server-side apply, for a minute', (on) => gitOps(on, 60))
