import { describeOn } from '../support/clusters.ts'
import { schemathesisFindsNothing } from './api-fuzz.ts'

describeOn('the API and its document agree', function (on) {
  this.timeout(900_000)
  schemathesisFindsNothing(on, 20_260_302, 15)
})
