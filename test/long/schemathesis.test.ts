import { schemathesisFindsNothing } from '../schemathesis/api-fuzz.ts'
import { describeOn } from '../support/clusters.ts'
import { testSeed } from '../support/random.ts'

describeOn('the API and its document agree, by many requests', (on) =>
  schemathesisFindsNothing(on, testSeed(), 300),
)
