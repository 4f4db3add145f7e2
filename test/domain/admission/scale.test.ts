import { expect } from 'chai'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment, aStatefulSet } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'

const web = aDeployment('shop/web').withReplicas(3).enabled()
const scaled = (workload: Workload, to: number, now = NOON) => admitScale(workload, to, now, RULES)

describe('scaling by hand', () => {
  it('of a pinned workload is denied, with who pinned it, when, and the request that unpins it', () => {
    const { type, reason, ...rest } = scaled(web.pinned(), 5)
    expect([type, reason]).to.deep.equal(['denied', 'pinned'])
    expect(rest).to.have.property('message').that.contains('pinned awake by alice since Mon 7:00 (UTC)')
    expect(rest)
      .to.have.property('message')
      .that.contains('; to let it go: kubectl annotate -n shop deployments/web dormouse.dev/request=unpin')
  })

  it('of a pinned sleeper is denied, also to its kept count', () => {
    const sleeper = web.snoozed({ at: at('Mon 7:00') }).pinned()
    for (const count of [1, 3])
      expect(scaled(sleeper, count)).to.include({ type: 'denied', reason: 'pinned' })
  })

  it('of an overridden workload is denied, with its end', () => {
    const forGood = scaled(web.overridden(), 5)
    expect(forGood)
      .to.have.property('message')
      .that.matches(/overridden by bob .*for good.*annotate .*=resume$/)
    const limited = scaled(web.overridden(at('Mon 13:00')), 5)
    expect(limited).to.have.property('message').that.contains(', until Mon 13:00')
  })

  it('is allowed from the instant that an override ends', () => {
    expect(scaled(web.overridden(NOON), 5)).to.include({ type: 'allowed', reason: 'free' })
  })

  it('is denied because of the pin when there is an override, too', () => {
    expect(scaled(web.overridden().pinned(), 5)).to.include({ reason: 'pinned' })
  })

  it('of a sleeper that is neither pinned nor overridden is a manual wake', () => {
    const sleeper = aStatefulSet()
      .withReplicas(2)
      .enabled()
      .snoozed({ at: at('Mon 7:00') })
    expect(scaled(sleeper, 2)).to.include({ type: 'allowed', reason: 'manual_wake' })
  })

  it('of a sleeper to less than its kept count warns until when, which count is kept, and how to get it', () => {
    const sleeper = aDeployment('shop/web')
      .withReplicas(5)
      .enabled()
      .scheduled('8:00-18:00', 'Europe/Berlin')
      .snoozed({ at: at('Mon 17:00') })
    const evening = at('Mon 20:30')
    expect(scaled(sleeper, 1, evening)).to.deep.include({
      type: 'allowed',
      reason: 'manual_wake',
      warnings: [
        'Dormouse: deployment shop/web is awake with 1 until Tue 8:00 (Europe/Berlin); 5 are kept',
        'Dormouse: deployment shop/web: to get 5 now: kubectl annotate -n shop deployments/web dormouse.dev/request=wake',
      ],
    })
    for (const count of [5, 9]) expect(scaled(sleeper, count, evening)).to.deep.include({ warnings: [] })
    const byHold = scaled(sleeper.annotated({ schedule: '6:00-7:00' }), 1, at('Mon 7:30'))
    expect(byHold, 'wakeHold comes first')
      .to.have.nested.property('warnings[0]')
      .that.includes('until Mon 20:30')
    const prolonged = sleeper.annotated({ schedule: '6:00-7:00', awakeUntil: '2026-03-02T22:00Z' })
    expect(scaled(prolonged, 1, at('Mon 7:30')), 'nothing happens when the hold is over')
      .to.have.nested.property('warnings[0]')
      .that.includes('until Mon 23:00')
    const unscheduled = scaled(sleeper.annotated({ schedule: undefined }), 2)
    expect(unscheduled)
      .to.have.nested.property('warnings[0]')
      .that.equals('Dormouse: deployment shop/web is awake with 2; 5 are kept')
  })

  it('to the same count is allowed', () => {
    expect(scaled(web.pinned(), 3)).to.include({ type: 'allowed', reason: 'no_count_change' })
  })

  it('of a workload that is not managed is allowed, whatever its state says', () => {
    expect(scaled(web.pinned().annotated({ enabled: 'false' }), 5)).to.include({
      type: 'allowed',
      reason: 'not_managed',
    })
  })

  it('of a workload whose state cannot be read is allowed, with a warning', () => {
    const decision = scaled(web.annotated({ state: '{' }), 5)
    expect(decision).to.include({ type: 'allowed', reason: 'unreadable' })
    expect(decision).to.have.property('warnings').that.has.length(1)
  })
})
