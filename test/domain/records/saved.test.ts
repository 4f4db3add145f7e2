import { expect } from 'chai'
import type { Reading } from '../../../src/domain/workload/reading.ts'
import { aNamespace } from '../policy/inheriting.ts'
import { moneyOf, NOTHING_SAVED, savedSince, teamOf } from '../../../src/domain/records/saved.ts'
import type { Operation, State } from '../../../src/domain/workload/state.ts'
import { read } from '../../support/readable.ts'
import { HOUR } from '../../support/rules.ts'
import { aCronJob, aDeployment } from '../../support/workloads.ts'

const NOW = Date.parse('2026-03-03T12:00:00Z')
const WEEK = NOW - 7 * 24 * HOUR
const ago = (hours: number) => NOW - hours * HOUR

function operation(type: Operation['type'], at: number, replicas = 0): Operation {
  return { type, trigger: 'schedule', at, replicas, duration: 0, by: null, result: 'succeeded' }
}

function reading(state: Partial<State>, replicas = 3): Reading {
  const found = read(aDeployment('shop/web').with({ replicas }))
  return { ...found, state: { ...found.state, ...state } }
}

/** In replica hours. */
function saved(state: Partial<State>, replicas?: number): number {
  return savedSince(reading(state, replicas), WEEK, NOW).replicaSeconds / 3600
}

describe('what sleep saved', () => {
  it('is nothing of a workload that never slept', () => {
    expect(saved({})).to.equal(0)
  })

  it('is the kept count of a sleeper times how long it sleeps', () => {
    const snoozed = { at: ago(2), replicas: 5, trigger: 'schedule', by: null } as const
    expect(saved({ asleep: true, snoozed, history: [operation('snooze', ago(2))] }, 0)).to.equal(10)
  })

  it('is nothing while a sleeper runs', () => {
    const snoozed = { at: ago(2), replicas: 5, trigger: 'schedule', by: null } as const
    expect(saved({ asleep: true, snoozed, history: [operation('snooze', ago(2))] }, 5)).to.equal(0)
  })

  it('counts each sleep of the history by the count that it woke to', () => {
    const history = [
      operation('wake', ago(10), 4),
      operation('snooze', ago(20)),
      operation('wake', ago(30), 2),
      operation('snooze', ago(33)),
    ]
    expect(saved({ history })).to.equal(4 * 10 + 2 * 3)
  })

  it('counts no sleep whose beginning or end the history does not have', () => {
    expect(saved({ history: [operation('wake', ago(1), 4)] })).to.equal(0)
    const history = [operation('wake', ago(1), 4), operation('wake', ago(3), 4), operation('snooze', ago(5))]
    expect(saved({ history })).to.equal(4 * 2)
  })

  it('counts of a long sleep only what lies in the time', () => {
    const snoozed = { at: ago(1000), replicas: 2, trigger: 'api', by: null } as const
    expect(saved({ asleep: true, snoozed, history: [] }, 0)).to.equal(2 * 7 * 24)
    const history = [operation('wake', ago(200), 2), operation('snooze', ago(300))]
    expect(saved({ history })).to.equal(0)
    const half = [operation('wake', ago(100), 2), operation('snooze', ago(300))]
    expect(saved({ history: half })).to.equal(2 * 68)
  })

  it('is not cut short by a wake that the cluster refused', () => {
    const refused = { ...operation('wake', ago(15), 4), result: 'failed' } as const
    expect(
      saved({ history: [operation('wake', ago(10), 4), refused, operation('snooze', ago(20))] }),
    ).to.equal(4 * 10)
  })

  it('is nothing of a suspended CronJob, which has no pods to measure', () => {
    const found = read(aCronJob('shop/report').with({ replicas: 0, requests: { cpu: 1, memory: 1 } }))
    const snoozed = { at: ago(2), replicas: 1, trigger: 'schedule', by: null } as const
    const history = [operation('wake', ago(10), 1), operation('snooze', ago(20))]
    const state = { ...found.state, asleep: true, snoozed, history }
    expect(savedSince({ ...found, state }, WEEK, NOW)).to.deep.equal(NOTHING_SAVED)
  })

  it('is valued by the prices of a core and of a GiB for an hour', () => {
    const saved = { replicaSeconds: 1, coreSeconds: 2 * 3600, byteSeconds: 10 * 3600 * 2 ** 30 }
    expect(moneyOf(saved, { currency: 'EUR', cpu: 0.031, memory: 0.004 })).to.be.closeTo(0.102, 1e-9)
  })

  it("is its team's: by its own label, else by that of its Namespace", () => {
    const web = aDeployment('shop/web')
    const namespace = aNamespace({ labels: { team: 'checkout' } })
    expect(teamOf('team', web.with({ labels: { team: 'search' } }), namespace)).to.equal('search')
    expect(teamOf('team', web, namespace)).to.equal('checkout')
    expect(teamOf('team', web, undefined)).to.equal('none')
  })
})
