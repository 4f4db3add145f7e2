import { KINDS } from '../../src/domain/kinds.ts'
import { describeOn } from '../support/clusters.ts'
import { comesTrue } from './foretold.ts'

describeOn('dormouse check, of random policies, calendars and annotations', (on) =>
  comesTrue(on, { namespaces: 4, workloadsEach: 10, kinds: KINDS, rounds: 2 }),
)
