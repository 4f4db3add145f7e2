import { expect } from 'chai'
import { compilePolicy } from '../../../src/domain/policy/configured.ts'
import { statusRecord } from '../../../src/domain/records/record.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { ANNOTATION } from '../../../src/domain/workload/workload.ts'
import { decided } from '../../support/decisions.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { WORK } from '../fixtures.ts'
import { heirIn } from './inheriting.ts'

const NOW = at('Mon 20:00')
const [PAST, SOON, LATER] = ['2026-03-02T11:00Z', '2026-03-02T22:00Z', '2026-03-03T01:00Z']
const FAULT = 'expected a time with an offset'

/** The Namespace says so, and a policy has the schedule. */
function under(awakeUntil: string | undefined): Rules {
  const policy = compilePolicy({ name: 'dev', namespaces: { names: ['*'] }, enabled: true, schedule: WORK })
  const inherited = heirIn({ annotations: awakeUntil === undefined ? {} : { awakeUntil } }, [policy])
  return { ...RULES, inherited: () => inherited }
}

type Level = string | undefined
/** The settings of the workload and of its Namespace; until when it is awake, or the source of the fault. */
const rows: [what: string, own: Level, namespace: Level, until: string | undefined, faultAt?: string][] = [
  ['absent on both', undefined, undefined, undefined],
  ['absent on the workload', undefined, LATER, '2026-03-03T01:00:00Z'],
  ['absent on the Namespace', SOON, undefined, '2026-03-02T22:00:00Z'],
  ['set on both', SOON, LATER, '2026-03-03T01:00:00Z'],
  ['set on both, that of the Namespace ending first', LATER, SOON, '2026-03-03T01:00:00Z'],
  ['empty on the workload', '', LATER, undefined],
  ['blank on the workload', ' ', LATER, undefined],
  ['empty on the Namespace', undefined, '', undefined],
  ['empty on the Namespace behind one', SOON, '', '2026-03-02T22:00:00Z'],
  ['expired on the workload', PAST, LATER, '2026-03-03T01:00:00Z'],
  ['expired on the workload, empty on the Namespace', PAST, '', undefined],
  ['expired on the Namespace', undefined, PAST, undefined],
  ['expired on both', PAST, PAST, undefined],
  ['invalid on the workload', 'soon', LATER, undefined, ''],
  ['invalid on the Namespace', undefined, 'soon', undefined, ' of namespace shop'],
  ['expired on the workload, invalid on the Namespace', PAST, 'soon', undefined, ' of namespace shop'],
  // It is the next that would count, and people hear of it before that.
  ['set on the workload, invalid on the Namespace', SOON, 'soon', undefined, ' of namespace shop'],
  ['empty on the workload, invalid on the Namespace', '', 'soon', undefined],
]

describe('awake-until', () => {
  for (const [what, own, namespace, until, faultAt] of rows)
    it(`${what}: the latest end counts, and one that has passed is none`, () => {
      const workload = own === undefined ? aDeployment() : aDeployment().annotated({ awakeUntil: own })
      const rules = under(namespace)
      const { reason, action } = decided(workload, NOW, rules)
      const record = statusRecord(workload, NOW, rules)
      if (faultAt !== undefined) {
        expect(action).to.equal('none')
        expect(record.reason).to.contain(`${ANNOTATION.awakeUntil}${faultAt}: ${FAULT}`)
        return
      }
      expect(action).to.equal(until === undefined ? 'snooze' : 'none')
      if (until !== undefined)
        expect(reason.text).to.equal(`awake by ${ANNOTATION.awakeUntil} until ${until}`)
    })

  it('is named inside the hours, too, where the end is its: the schedule alone would end earlier', () => {
    const noon = at('Mon 12:00')
    expect(decided(aDeployment(), noon, under('2026-03-06T23:00Z')).reason.text).to.match(
      /^awake by schedule 8:00-18:00,Mon-Fri \(UTC\) of policy dev, then by dormouse.dev\/awake-until until 2026-03-06T23:00:00Z$/,
    )
    expect(decided(aDeployment(), noon, under(undefined)).reason.text).to.match(
      / until 2026-03-02T18:00:00Z$/,
    )
  })

  it('whether it is managed by what it inherits is said where its own enabled turns it off', () => {
    const off = aDeployment().annotated({ enabled: 'false' })
    expect(statusRecord(off, NOW, under(undefined)).remedy).to.deep.equal({
      action: 'enable',
      query: { inherit: 'true' },
    })
    expect(statusRecord(off, NOW, RULES).remedy).to.deep.equal({ action: 'enable', query: {} })
  })

  it('a backoff that has nothing to wait for stands in the record all the same', () => {
    const rests = aDeployment().enabled().scheduled(WORK).remembering({}).inBackoff(at('Mon 12:05'))
    const { reason, reason_values: values } = statusRecord(rests, at('Mon 12:00'), RULES)
    expect(reason).to.match(
      /until 2026-03-02T18:00:00Z; in backoff until 2026-03-02T12:05:00Z: it was switched too often$/,
    )
    expect(values).to.include({ until: '2026-03-02T18:00:00Z', cause: 'flapping' })
  })
})
