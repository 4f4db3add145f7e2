import {
  blindWebhook,
  crashed,
  disturbed,
  forbidden,
  leaderless,
  refusedWakes,
  released,
  troubled,
  unreached,
  wakerless,
} from './provocations.ts'
import { alertsComeUp } from './running.ts'
import { prometheus } from '../dashboards/prometheus.ts'
import { describeWith } from '../suite/need.ts'

describeWith(prometheus, 'the alerts, from the running program,', function () {
  this.timeout(180_000)
  alertsComeUp(
    [
      refusedWakes,
      forbidden,
      troubled,
      disturbed,
      leaderless,
      released,
      blindWebhook,
      unreached,
      crashed,
      wakerless,
    ],
    ['DormouseAbsent'],
  )
})
