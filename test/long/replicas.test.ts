import { replicasAgree } from '../e2e/rounds.ts'
import { leaderGoes } from '../e2e/leader-wave.ts'
import { describeOn } from '../support/clusters.ts'

describeOn('two replicas, many times: pin through one, scale through the other', (on) => {
  replicasAgree(on, 300)
})

describeOn('two replicas: the leader goes in the middle of a wave of 500', (on) => {
  leaderGoes(on, 500)
})
