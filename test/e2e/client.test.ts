import { systemClock } from '../../src/clock.ts'
import { connect } from '../../src/client/connect.ts'
import { dormouseSuite } from '../client/dormouse-suite.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'

describeOn('the client', function (on) {
  this.timeout(150_000)
  const here = enforced(on)
  const outside = (environment: Record<string, string> = {}) => ({
    clock: systemClock,
    environment,
    stderr: { write() {} },
    stopSignal: new AbortController().signal,
  })

  describe('through the cluster', () => {
    dormouseSuite(here, () => connect({ kubeconfig: on().adminKubeconfig }, outside()))
  })

  describe('over HTTP', () => {
    dormouseSuite(here, async () => {
      const token = await here.dormouse.tokens.token()
      return connect({ server: here.api.url }, outside({ DORMOUSE_TOKEN: token }))
    })
  })
})
