import { schemathesisFindsNothing } from '../schemathesis/api-fuzz.ts'
import { describeOn } from '../support/clusters.ts'
import { testSeed } from '../support/random.ts'

/** For an operation and phase; `PROPERTY_RUNS` for another number. */
const EXAMPLES = Number(process.env['PROPERTY_RUNS'] ?? 300)

describeOn('the API and its document agree, by many requests', (on) =>
  schemathesisFindsNothing(on, testSeed(), EXAMPLES),
)
