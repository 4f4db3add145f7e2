import { expect } from 'chai'
import { namespaceFault } from '../../../src/domain/policy/faults.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import type { InheritedAnnotation } from '../../../src/domain/policy/inheritance.ts'
import { at, calendarsOf, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aNamespace, heirIn } from './inheriting.ts'

/** As long as the API server lets all annotations of an object be. */
const LONG = 250_000
const RULES = rulesWith({}, calendarsOf({ de: {} }))

const TEXTS: readonly [name: InheritedAnnotation, text: string][] = [
  ['enabled', 'x'.repeat(LONG)],
  ['schedule', '8:00-9:00;'.repeat(LONG / 10)],
  ['timezone', 'x'.repeat(LONG)],
  ['calendar', 'de,'.repeat(LONG / 3)],
  ['calendar', ','.repeat(LONG)],
  ['autoWake', 'x'.repeat(LONG)],
  ['awakeUntil', '2026-03-04'.repeat(LONG / 10)],
]

describe('a setting of a Namespace that is as long as the API server takes', () => {
  for (const [name, text] of TEXTS) {
    const annotations = { enabled: 'true', schedule: '8:00-18:00', [name]: text }
    const inherited = heirIn({ annotations }, [])
    const rules = { ...RULES, inherited: () => inherited }
    const web = aDeployment().withReplicas(2)

    it(`${name} (${text.slice(0, 10)}…) stops what is automatic, and is not repeated in every record`, () => {
      const record = statusRecord(web, at('Tue 20:00'), rules)
      expect(JSON.stringify(record)).to.have.length.below(4000)
      expect(record).to.include({ is_snoozed: false, next_transition: null })
      expect(namespaceFault(aNamespace({ annotations })))
        .to.be.a('string')
        .with.length.below(1000)
    })
  }
})
