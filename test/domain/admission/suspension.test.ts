import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../../src/domain/workload/workload.ts'
import { decoded } from '../../support/readable.ts'
import { at } from '../../support/rules.ts'
import { aCronJob } from '../../support/workloads.ts'
import { updated } from './updates.ts'

const awake = aCronJob().enabled()
const asleep = awake.snoozed({ at: at('Mon 7:00'), trigger: 'api', by: 'k8s:alice' })

describe('an update that suspends or resumes a CronJob', () => {
  for (const [reason, held] of [
    ['pinned', awake.pinned()],
    ['overridden', awake.overridden()],
    ['pinned', asleep.pinned()],
    ['overridden', asleep.overridden()],
  ] as const) {
    const other = held.with({ replicas: 1 - held.replicas })
    const is = `that is ${reason} ${held.replicas === 1 ? 'awake' : 'asleep'}`

    it(`${is} is denied by hand, and says how to end that`, () => {
      const decision = updated(held, other)
      expect(decision).to.include({ type: 'denied', reason })
      expect(decision).to.have.property('message').that.contains('cronjobs/')
    })

    it(`${is} is absorbed from an apply, or beside other changes`, () => {
      for (const how of [{ isApply: true }, { otherChanges: true }]) {
        const { result, reason: why, warnings } = updated(held, other, how)
        expect([why, result.replicas]).to.deep.equal(['held', held.replicas])
        expect(warnings[0]).to.match(/^Dormouse: cronjob shop\/report stays (un)?suspended: it is /)
      }
    })
  }

  it('wakes a sleeper by hand, in the name of who did it', () => {
    const { result, reason } = updated(asleep, asleep.with({ replicas: 1 }))
    expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal([
      'manual_wake',
      1,
      undefined,
    ])
    const [newest] = decoded(result.annotations).history
    expect(newest).to.include({ type: 'wake', trigger: 'manual', by: 'k8s:carol', replicas: 1 })
    expect(result).not.to.have.property('lastScheduleTime')
  })

  it('does not wake a sleeper by an apply, which says that it is to run once it wakes', () => {
    const theirs = awake.withReplicas(0).snoozed({ at: at('Mon 7:00'), kept: 0 })
    for (const [before, how] of [
      [asleep, { isApply: true }],
      [asleep, { otherChanges: true }],
      [theirs, { isApply: true }],
    ] as const) {
      const { result, reason, warnings } = updated(before, before.with({ replicas: 1 }), how)
      expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal(['absorbed', 0, '1'])
      expect(warnings[0]).to.include('is asleep and stays suspended')
    }
  })

  it('by a manifest that suspends it keeps a sleeper suspended after its wake, and says so', () => {
    const { result, reason, warnings } = updated(asleep, asleep, { isApply: true, manifestCount: 'asleep' })
    expect([reason, result.replicas, result.labels?.[ASLEEP_LABEL]]).to.deep.equal(['absorbed', 0, '0'])
    expect(warnings[0]).to.include('keeps 0 from now on, since this manifest suspends it')
  })

  it('is free where nothing holds it: what is awake, and what is not managed', () => {
    for (const before of [awake, aCronJob()])
      expect(updated(before, before.with({ replicas: 0 }))).to.include({ type: 'allowed', reason: 'free' })
    const suspended = awake.withReplicas(0)
    expect(updated(suspended, suspended.with({ replicas: 1 }))).to.include({
      type: 'allowed',
      reason: 'free',
    })
  })
})
