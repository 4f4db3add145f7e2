import { expect } from 'chai'
import type { Request } from '../../../src/domain/requests/operations.ts'
import { planRequest } from '../../../src/domain/requests/request.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { readWorkload } from '../../../src/domain/workload/reading.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { updated } from '../admission/updates.ts'

const EVENING = at('Mon 21:00')
const ODD = [-1, 2.5, 2 ** 31, 5e9]
const web = aDeployment('shop/web').enabled().scheduled('8:00-18:00')

describe('a count that no state can keep, as the definition of a configured kind may allow', () => {
  for (const replicas of ODD) {
    const odd = web.with({ replicas })

    it(`${replicas}: is left alone, and the reason says why`, () => {
      const { decision, change } = planStep(odd, EVENING, RULES)
      expect(change).to.equal(undefined)
      expect(decision.reason).to.include({ code: 'data_at_risk' })
      expect(decision.reason.text).to.contain(`its count is ${replicas}`)
    })

    it(`${replicas}: is left alone where somebody gave it to a sleeper`, () => {
      expect(
        planStep(web.snoozed({ at: at('Mon 18:00') }).with({ replicas }), EVENING, RULES).change,
      ).to.equal(undefined)
    })

    it(`${replicas}: no request is carried out, not even by force`, () => {
      const requests: Request[] = [
        { action: 'snooze', force: true },
        { action: 'wake', for: 3_600_000 },
        { action: 'pin' },
        { action: 'adopt', count: 3 },
        { action: 'override' },
      ]
      for (const request of requests)
        expect(() => planRequest(odd, request, 'k8s:alice', EVENING, RULES), request.action)
          .to.throw(Refusal)
          .with.property('code', 'DATA_AT_RISK')
    })

    it(`${replicas}: is not absorbed by a sleeper, whose kept count it would replace`, () => {
      const before = web.withReplicas(3).snoozed({ at: at('Mon 18:00') })
      const after = before.with({ replicas })
      const applied = updated(before, after, { otherChanges: true, isApply: true, now: EVENING })
      expect(applied).to.include({ type: 'denied', reason: 'unknown' })
    })

    it(`${replicas}: of one that is not managed, it says that, and disabling it changes nothing`, () => {
      const unmanaged = aDeployment('shop/web').with({ replicas })
      expect(planStep(unmanaged, EVENING, RULES).decision.reason.code).to.equal('not_managed')
      for (const action of ['disable', 'unpin', 'clearOverride'] as const)
        expect(planRequest(unmanaged, { action }, 'k8s:alice', EVENING, RULES).change, action).to.equal(
          undefined,
        )
      expect(() => planRequest(unmanaged, { action: 'snooze' }, 'k8s:alice', EVENING, RULES))
        .to.throw(Refusal)
        .with.property('code', 'NOT_ENABLED')
    })

    it(`${replicas}: disabling one that is awake takes it out of Dormouse's hands`, () => {
      const { change, after } = planRequest(odd, { action: 'disable' }, 'k8s:alice', EVENING, RULES)
      expect(change).not.to.equal(undefined)
      expect(after.replicas).to.equal(replicas)
      expect(readWorkload(after, RULES)).to.include({ enabled: false })
    })
  }
})
