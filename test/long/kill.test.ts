import { describeOn } from '../support/clusters.ts'
import { killsInAWave } from '../e2e/kill-wave.ts'

describeOn('kill -9 in a wave, many times', (on) => {
  killsInAWave(on, 50)
})
