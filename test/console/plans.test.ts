import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { Refused } from '../../src/console/page/api.ts'
import type { Doing } from '../../src/console/page/doing.ts'
import type { Model } from '../../src/console/page/model.ts'
import { Plans } from '../../src/console/page/plans.ts'
import { aRecord } from '../client/fake-dormouse.ts'
import { eventually } from '../support/eventually.ts'

describe('the plans of the console', () => {
  let asked: number
  let isAway: boolean
  const { record } = aRecord('web')
  const model = { pathOf: () => '/namespaces/shop/deployments/web', tellSoon() {} } as unknown as Model
  const doing = {
    async ask() {
      asked += 1
      if (isAway) throw new Refused(0, 'UNREACHABLE', 'Dormouse does not answer')
      return { message: '', data: [] }
    },
  } as unknown as Doing
  const read = (plans: Plans, plan: unknown) =>
    eventually('the plan', async () => JSON.stringify(plans.of(record)) === JSON.stringify(plan))

  beforeEach(() => {
    asked = 0
    isAway = true
  })

  it('that could not be read are asked for again once the list is live again', async () => {
    const plans = new Plans(model, doing)
    plans.want(record)
    await read(plans, null)
    isAway = false
    plans.retry()
    await read(plans, [])
    plans.retry()
    await pause(300)
    expect(asked).to.equal(2)
  })

  it('that could not be read are asked for again when they are looked at again, and only then', async () => {
    const plans = new Plans(model, doing)
    plans.want(record)()
    await pause(300)
    expect(asked).to.equal(0)
    const leave = plans.want(record)
    await read(plans, null)
    leave()
    isAway = false
    plans.retry()
    await pause(300)
    expect(asked).to.equal(1)
    plans.want(record)
    await read(plans, [])
  })
})
