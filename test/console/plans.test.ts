import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { Refused, type Call } from '../../src/console/page/api.ts'
import type { Doing } from '../../src/console/page/doing.ts'
import type { Model } from '../../src/console/page/model.ts'
import { Plans } from '../../src/console/page/plans.ts'
import { aRecord } from '../client/fake-dormouse.ts'
import { eventually } from '../support/eventually.ts'

describe('the plans of the console', () => {
  let asked: number
  let isAway: boolean
  const paths: string[] = []
  const pages: object[] = []
  const { record } = aRecord('web')
  const model = { pathOf: () => '/namespaces/shop/deployments/web', tellSoon() {} } as unknown as Model
  const doing = {
    async ask({ path }: Call) {
      asked += 1
      paths.push(path)
      if (isAway) throw new Refused(0, 'UNREACHABLE', 'Dormouse does not answer')
      return pages.shift() ?? { message: '', data: [] }
    },
  } as unknown as Doing
  const read = (plans: Plans, plan: unknown) =>
    eventually('the plan', async () => JSON.stringify(plans.of(record)) === JSON.stringify(plan))

  beforeEach(() => {
    asked = 0
    isAway = true
  })

  it('are read page by page', async () => {
    isAway = false
    pages.push({ message: '', data: [1, 2], continue: 'a/b' }, { message: '', data: [3], continue: null })
    const plans = new Plans(model, doing)
    plans.want(record)
    await read(plans, [1, 2, 3])
    expect(paths).to.deep.equal([
      '/namespaces/shop/deployments/web/plan?hours=168',
      '/namespaces/shop/deployments/web/plan?hours=168&continue=a%2Fb',
    ])
  })

  it('of a workload that changed is that of another with the same hours, and not its former one', async () => {
    isAway = false
    const at = (name: string, wake_schedule: string) => ({ ...aRecord(name).record, wake_schedule })
    const [before, other, after] = [at('web', '1:00-2:00'), at('api', '8:00-18:00'), at('web', '8:00-18:00')]
    pages.push({ message: '', data: [1] }, { message: '', data: [2] })
    const plans = new Plans(model, doing)
    plans.want(before)
    await eventually('its plan', async () => JSON.stringify(plans.of(before)) === '[1]')
    plans.want(other)
    await eventually("the other's plan", async () => JSON.stringify(plans.of(other)) === '[2]')
    plans.want(after)
    expect(plans.of(after)).to.deep.equal([2])
    expect(asked, 'nothing is asked for twice').to.equal(2)
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
