import { expect } from 'chai'
import { plannedTransitions } from '../../../src/domain/records/plan.ts'
import { listedRecord } from '../../../src/domain/records/record.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { keyOf, type Workload, type WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { OrderWaits } from '../../../src/service/evaluating/order-waits.ts'
import { at, iso, MINUTE, RULES, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

const EDGE = at('Tue 8:00')
const TIMEOUT = 2 * MINUTE

function sleeper(name: string, order?: string) {
  return aDeployment(name)
    .withReplicas(2)
    .enabled()
    .scheduled('8:00-18:00,Mon-Fri')
    .annotated({ wakeOrder: order })
    .snoozed({ at: at('Mon 18:00') })
}

/** The record of the first of them, and how often the others were listed. */
function recordAmong(...all: Workload[]) {
  const asked: string[] = []
  const copies = new Map(all.map((each) => [keyOf(each), each]))
  const workloads = {
    get: (key: WorkloadKey) => copies.get(keyOf(key)),
    list: (namespace: string) => {
      asked.push(namespace)
      return [...copies.values()].filter((each) => each.namespace === namespace)
    },
  }
  let now = EDGE
  const released: string[] = []
  const clock = () => now
  const evaluations = evaluationsOf(RULES, clock)
  const release = (keys: readonly WorkloadKey[]) => void released.push(...keys.map(keyOf))
  const waits = new OrderWaits({ workloads, evaluations, clock, released: release }, TIMEOUT)
  const rules: Rules = { ...RULES, waitOf: (...of) => waits.of(...of) }
  const record = (at: number, workload = all[0]!) => {
    now = at
    return listedRecord(workload, at, rules)
  }
  const put = (after: Workload) => {
    const before = copies.get(keyOf(after))
    copies.set(keyOf(after), after)
    waits.changed(before, after)
  }
  return { record, asked, rules, released, put, waits }
}

describe('the record of a workload that waits by its order', () => {
  const web = sleeper('shop/web')
  const db = sleeper('shop/db', '1')
  const woken = db.woken({ at: EDGE, trigger: 'schedule' })

  it('says for which numbers, at most until when, and what comes then', () => {
    const { record, rules } = recordAmong(web, db, sleeper('shop/queue', '1'), sleeper('shop/api', '3'))
    const { reason, next_transition } = record(EDGE + SECOND)
    expect(reason).to.match(
      /^waits for 3 workloads of wake order 1 and 3 to be ready, at most until 2026-03-03T08:04:00Z \(then: awake by schedule /,
    )
    expect(next_transition).to.include({ at: iso(EDGE + 2 * TIMEOUT), type: 'wake' })
    const [first] = plannedTransitions(web, EDGE + SECOND, rules, at('Tue 20:00'))
    expect(first).to.include({ at: EDGE + 2 * TIMEOUT, type: 'wake' })
  })

  it('says so of sleep-order in its own words', () => {
    const awake = (name: string, sleepOrder?: string) =>
      aDeployment(name).withReplicas(2).enabled().scheduled('8:00-18:00,Mon-Fri').annotated({ sleepOrder })
    const evening = at('Mon 18:00')
    const { record } = recordAmong(awake('shop/db'), awake('shop/web', '1').woken({ at: at('Mon 8:00') }))
    const { reason, reason_code, next_transition } = record(evening + SECOND)
    expect(reason).to.match(
      /^waits for 1 workload of sleep order 1 to be asleep, at most until 2026-03-02T18:02:00Z \(then: asleep by schedule /,
    )
    expect(reason_code).to.equal('sleep_order')
    expect(next_transition).to.include({ at: iso(evening + TIMEOUT), type: 'snooze' })
  })

  it('costs one look at its namespace for each edge, however many ask, and none when nothing is due', () => {
    const { record, asked } = recordAmong(web, db)
    record(EDGE - MINUTE)
    expect(asked).to.deep.equal([])
    for (let n = 0; n < 100; n++) record(EDGE + n)
    record(EDGE + 5 * SECOND)
    expect(asked).to.deep.equal(['shop'])
  })

  it('follows each change of the others, and those that were told to wait are named once it ends', () => {
    const queue = sleeper('shop/queue', '1')
    const { record, put, released, waits } = recordAmong(web, db, queue)
    record(EDGE + SECOND)
    put(woken.unsettled())
    put(queue.woken({ at: EDGE, trigger: 'schedule' }))
    expect([released, waits.waiting('wake')]).to.deep.equal([[], 1])
    expect(record(EDGE + SECOND).reason).to.match(/^waits for 1 workload of wake order 1 /)
    put(woken)
    expect([released, waits.waiting('wake')]).to.deep.equal([['deployments/shop/web'], 0])
    expect(record(EDGE + SECOND).reason).to.match(/^is to wake by schedule/)
  })

  it('begins when somebody names a number, also in the middle of a wave', () => {
    const { record, put } = recordAmong(web, sleeper('shop/db'))
    expect(record(EDGE).reason).to.match(/^is to wake by schedule/)
    put(db)
    expect(record(EDGE).reason).to.match(/^waits for 1 workload of wake order 1 /)
  })

  it('is counted of the copies alone, not of what a request would make of them', () => {
    const { record, waits } = recordAmong(web, db)
    record(EDGE, web.labelled({ as: 'planned' }))
    expect(waits.waiting('wake')).to.equal(0)
  })
})
