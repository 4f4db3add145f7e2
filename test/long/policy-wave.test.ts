import { describeOn } from '../support/clusters.ts'
import { waveByPolicy } from '../e2e/policy-wave.ts'

describeOn('a wave by Namespaces and policies', (on) =>
  waveByPolicy(on, { namespaces: 60, workloadsEach: 50, compared: true }),
)
