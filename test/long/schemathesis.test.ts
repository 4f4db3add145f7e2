import { schemathesisFindsNothing } from '../schemathesis/api-fuzz.ts'
import { describeOnWith } from '../support/clusters.ts'
import { testSeed } from '../support/random.ts'
import { schemathesis } from '../python-programs/python-program.ts'

/** For an operation and phase; `PROPERTY_RUNS` for another number. */
const EXAMPLES = Number(process.env['PROPERTY_RUNS'] ?? 300)

describeOnWith(schemathesis, 'the API and its document agree, by many requests', (on, program) =>
  schemathesisFindsNothing(on, program, testSeed(), EXAMPLES),
)
