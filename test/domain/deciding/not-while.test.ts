import { expect } from 'chai'
import { busyAmong, type Busy } from '../../../src/domain/companions/busy.ts'
import { configuredRows } from '../../../src/domain/companions/configured.ts'
import { trimCompanion } from '../../../src/kubernetes/companion-store.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { asked, decided } from '../../support/decisions.ts'
import { at, HOUR, RULES } from '../../support/rules.ts'
import { asleep, awake, NIGHT, NOON } from '../fixtures.ts'

const EDGE = at('Mon 18:00')
const BACKUP: Busy = { why: 'Backup nightly of it is running', since: at('Mon 17:00') }
const beside = (busy: Busy | undefined) => ({ ...RULES, busyBeside: () => busy })

describe('while something beside it is busy, a workload', () => {
  it('does not sleep, and says why; within two hours of its edge it sleeps all the same', () => {
    const { action, reason, lookAgainAt } = decided(awake, EDGE + HOUR, beside(BACKUP))
    expect([action, reason.code]).to.deep.equal(['none', 'data_at_risk'])
    expect(reason.text).to.match(
      /^left awake until .* at most: Backup nightly of it is running \(then: asleep/,
    )
    expect(lookAgainAt).to.equal(EDGE + 2 * HOUR)
    expect(decided(awake, EDGE + 2 * HOUR, beside(BACKUP)).action).to.equal('snooze')
    expect(decided(awake, EDGE + HOUR, beside(undefined)).action).to.equal('snooze')
  })

  it('stays awake also where nobody can see whether it is', () => {
    const unseen = {
      why: 'whether one of backups.example.com is busy is not known: no right',
      since: undefined,
    }
    expect(decided(awake, EDGE + HOUR, beside(unseen)).reason.text).to.include('no right')
    expect(decided(awake, EDGE + 2 * HOUR, beside(unseen)).action).to.equal('snooze')
  })

  it('sleeps on, and is put back to sleep where an operator has woken it', () => {
    expect(decided(asleep, NIGHT, beside(BACKUP)).action).to.equal('none')
    expect(decided(asleep.editedTo(3), NIGHT, beside(BACKUP)).action).to.equal('snooze')
  })

  it('is not snoozed by a request either, unless that is forced', () => {
    const ask = (force: boolean) =>
      asked(awake, { action: 'snooze', ...(force && { force }) }, NOON, { rules: beside(BACKUP) })
    expect(() => ask(false)).to.throw(Refusal, 'stays awake: Backup nightly of it is running')
    expect(ask(true).change).not.to.equal(undefined)
  })

  it('is told by the values of the field', () => {
    const settings = {
      resource: 'backups.example.com',
      selectedBy: '.spec.cluster.name',
      path: '.status.phase',
    }
    const kinds = [
      { resource: 'clusters.example.com', notWhile: [{ ...settings, in: ['running', 'started'] }] },
    ]
    const [row] = configuredRows({ kinds })
    const backup = (phase: string | undefined) => {
      const metadata = { namespace: 'shop', name: 'nightly', uid: '1', resourceVersion: '1' }
      const object = { metadata, spec: { cluster: { name: 'db' } }, status: { phase } }
      return trimCompanion(row!, { base: '/apis/example.com/v1', kind: 'Backup' }, object)
    }
    expect(busyAmong([backup('completed'), backup('running')])?.why).to.equal(BACKUP.why)
    expect(busyAmong([backup('completed'), backup(undefined)])).to.equal(undefined)
  })
})
