import { expect } from 'chai'
import fc from 'fast-check'
import { statusRecord } from '../../../src/domain/records/record.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { compileSchedule } from '../../../src/domain/schedule/schedule.ts'
import { canonical } from '../../../src/domain/schedule/syntax.ts'
import { at, DAY, HOUR, iso, MINUTE, RULES } from '../../support/rules.ts'
import { ModelCluster } from '../model.ts'
import { schedules } from '../schedule/every-minute.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { heirIn } from './inheriting.ts'

const SETTLED = at('Mon 0:00')

/** The Namespace keeps all awake until then. */
function keptAwake(end: number | undefined): Rules {
  const inherited = heirIn({ annotations: end === undefined ? {} : { awakeUntil: iso(end) } }, [])
  return { ...RULES, inherited: () => inherited }
}

function settled(schedule: string, rules = RULES): ModelCluster {
  const cluster = new ModelCluster('deployments', SETTLED, rules)
  cluster.annotate('enabled', 'true')
  cluster.annotate('schedule', schedule)
  cluster.settle()
  return cluster
}

describe('what a person woke, under awake-until', () => {
  it('is awake, minute by minute, as long as the wake, awake-until or the hours say', () => {
    const minute = fc.integer({ min: 60, max: 2 * 24 * 60 })
    fc.assert(
      fc.property(schedules, minute, minute, (windows, some, more) => {
        const schedule = canonical(windows)
        const weekly = compileSchedule(schedule, 'UTC')
        const asked = SETTLED + some * MINUTE
        fc.pre(weekly.stateAt(asked) === 'asleep')
        const cluster = settled(schedule)
        cluster.wait(asked - SETTLED)
        cluster.request({ action: 'wake' })
        const end = asked + more * MINUTE
        cluster.annotate('awakeUntil', iso(end))
        cluster.settle()
        const woken = Math.min(asked + 12 * HOUR, weekly.nextEdge(asked)?.at ?? Infinity)
        for (let t = asked + MINUTE; t < asked + 3 * DAY; t += MINUTE) {
          cluster.wait(MINUTE)
          const isAwake = t < woken || t < end || weekly.stateAt(t) === 'awake'
          if (cluster.isAsleep === isAwake)
            expect.fail(`${schedule}, asked ${iso(asked)}, until ${iso(end)}: wrong at ${iso(t)}`)
        }
      }),
      propertyRuns(25),
    )
  }).timeout(60_000)
})

describe('a reason, under one or two awake-until', () => {
  it('names no end at which nothing happens', () => {
    const minute = fc.integer({ min: 60, max: 2 * 24 * 60 })
    const end = fc.option(fc.integer({ min: -300, max: 2 * 24 * 60 }), { nil: undefined })
    fc.assert(
      fc.property(schedules, minute, end, end, fc.boolean(), (windows, some, own, outer, asks) => {
        const now = SETTLED + some * MINUTE
        const rules = keptAwake(outer === undefined ? undefined : now + outer * MINUTE)
        const cluster = settled(canonical(windows), rules)
        cluster.wait(now - SETTLED)
        if (asks) cluster.request({ action: cluster.isAsleep ? 'wake' : 'snooze' })
        if (own !== undefined) cluster.annotate('awakeUntil', iso(now + own * MINUTE))
        cluster.settle()
        const { reason, next_transition: next } = statusRecord(cluster.workload, now, rules)
        const named = /(?:until|sleeps|wakes) (\d{4}-\S+Z)/.exec(reason)?.[1]
        if (named !== undefined) expect(Date.parse(next?.at ?? ''), reason).to.equal(Date.parse(named))
      }),
      propertyRuns(300),
    )
  }).timeout(60_000)
})
