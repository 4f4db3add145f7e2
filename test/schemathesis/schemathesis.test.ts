import { describeOn } from '../support/clusters.ts'
import { schemathesisFindsNothing } from './api-fuzz.ts'

describeOn(
  'the API and its document agree',
  function (on) {
    this.timeout(900_000)
    // Many more requests, and on the real control plane, too: test/long/schemathesis.test.ts.
    schemathesisFindsNothing(on, 20_260_302, 5)
  },
  'sandbox',
)
