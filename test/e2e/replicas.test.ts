import { describeOn } from '../support/clusters.ts'
import { replicasAgree } from './rounds.ts'
import { leaderGoes } from './leader-wave.ts'

describeOn('two replicas: pin through one, scale through the other', (on) => {
  replicasAgree(on, 12)
})

describeOn('two replicas: the leader goes in the middle of a wave', (on) => {
  leaderGoes(on, 80)
})
