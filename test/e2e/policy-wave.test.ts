import { describeOn } from '../support/clusters.ts'
import { waveByPolicy } from './policy-wave.ts'

describeOn('a small wave by Namespaces and policies', (on) =>
  waveByPolicy(on, { namespaces: 4, workloadsEach: 10, compared: false }),
)
