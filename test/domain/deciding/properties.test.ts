import { expect } from 'chai'
import fc from 'fast-check'
import { plannedTransitions } from '../../../src/domain/records/plan.ts'
import { listedRecord, transitionRecord } from '../../../src/domain/records/record.ts'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { stateOf } from '../../support/decisions.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at, DAY, HOUR, iso, MINUTE, RULES } from '../../support/rules.ts'
import { labelOf, ModelCluster } from '../model.ts'
import { People, upTo, type Event } from '../people.ts'
import { WORK } from '../fixtures.ts'

const KIND = fc.constantFrom<Kind>(...KINDS)
const START = at('Mon 7:30')

function managed(kind: Kind, schedule: string | null = WORK): ModelCluster {
  const cluster = new ModelCluster(kind, START, RULES)
  cluster.annotate('enabled', 'true')
  if (schedule !== null) cluster.annotate('schedule', schedule)
  cluster.settle()
  return cluster
}

function played(kind: Kind, events: readonly Event[]): ModelCluster {
  const people = new People(managed(kind))
  for (const event of events) people.do(event)
  return people.cluster
}

describe('no sequence of operations, edges, manual scalings and crashes', () => {
  // Each event is followed by an evaluation: a decision carried out twice changes nothing the second time, at most
  // one transition comes of any downtime, the counter grows by one a write, every next evaluation is ahead
  // (ModelCluster); and the label is the kept count (People).
  for (const prompt of [true, false]) {
    it(`loses a replica count or a nodeSelector (pods that follow ${prompt ? 'at once' : 'late or never'})`, () => {
      fc.assert(
        fc.property(KIND, upTo(40), (kind, events) => {
          const cluster = managed(kind)
          cluster.prompt = prompt
          const people = new People(cluster)
          for (const event of events) {
            people.do(event)
            listedRecord(cluster.workload, cluster.now, RULES)
          }
        }),
        propertyRuns(400),
      )
    })
  }
})

describe('evaluating only when a decision asked for it', () => {
  it('misses nothing that evaluating every minute would have done', () => {
    fc.assert(
      fc.property(
        KIND,
        upTo(25, { refused: false }),
        fc.integer({ min: 1, max: 300 }),
        (kind, events, minutes) => {
          const seldom = played(kind, events)
          const often = played(kind, events)
          seldom.wait(minutes * MINUTE)
          for (let minute = 0; minute < minutes; minute += 1) {
            often.now += MINUTE
            often.settle()
          }
          expect(seldom.object).to.deep.equal(often.object)
        },
      ),
      propertyRuns(150),
    )
  })
})

describe('the reason', () => {
  it('names what happens next, and when: never the end of a request at which nothing happens', () => {
    let named = 0
    fc.assert(
      fc.property(KIND, upTo(25), (kind, events) => {
        const cluster = played(kind, events)
        const { reason, next_transition: next } = listedRecord(cluster.workload, cluster.now, RULES)
        const asked = /^(?:awake|asleep) by (?:request|manual scaling)/.test(reason)
        fc.pre(asked)
        const [, effect, time = ''] = /; (wakes|sleeps) (\S+Z)/.exec(reason) ?? []
        expect(effect).to.equal(next ? { wake: 'wakes', snooze: 'sleeps' }[next.type] : undefined)
        if (next) expect(Date.parse(time)).to.equal(Math.floor(Date.parse(next.at) / 1000) * 1000)
        named += Number(next !== null)
      }),
      propertyRuns(150),
    )
    expect(named, 'transitions that were named').to.be.above(10)
  })
})

describe('the plan', () => {
  it('is what happens if nobody acts', () => {
    fc.assert(
      fc.property(KIND, upTo(25), (kind, events) => {
        const cluster = played(kind, events)
        cluster.refuses = false
        const reading = listedRecord(cluster.workload, cluster.now, RULES)
        fc.pre(reading.enabled)
        const before = cluster.transitions.length
        const end = cluster.now + 2 * DAY
        const plan = plannedTransitions(cluster.workload, cluster.now, RULES, end).map(transitionRecord)
        if (reading.next_transition === null || reading.next_transition.at <= iso(end))
          expect(plan[0] ?? null).to.deep.equal(reading.next_transition)
        cluster.wait(2 * DAY)
        const happened = cluster.transitions.slice(before).filter(({ trigger }) => trigger !== 'pin')
        expect(plan).to.deep.equal(happened.map(({ at, type, reason }) => ({ at: iso(at), type, reason })))
      }),
      propertyRuns(150),
    )
  })
})

describe('somebody who undoes every transition', () => {
  /** Undoes every snooze within the minute, for a day; when they were. */
  function fought(cluster: ModelCluster, undo: () => void): number[] {
    const before = cluster.transitions.length
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      undo()
      cluster.settle()
      cluster.wait(MINUTE)
    }
    return cluster.transitions.slice(before).map(({ at }) => at)
  }

  /** After the first steps, seven to a longest backoff at most. */
  function expectBackoff(cluster: ModelCluster, snoozes: number[]): void {
    expect(snoozes).to.have.length.within(8, 24 * 7)
    for (const [index, snooze] of snoozes.slice(20).entries())
      expect((snoozes[index + 27] ?? Infinity) - snooze).to.be.above(RULES.policy.backoff.max)
    expect(stateOf(cluster.workload).backoff?.cause).to.equal('flapping')
  }

  it('by a GitOps sync is slowed down by backoff, and keeps their count', () => {
    const cluster = managed('deployments', null)
    cluster.request({ action: 'snooze' })
    const snoozes = fought(cluster, () => cluster.setReplicas(5, 'argocd'))
    expectBackoff(cluster, snoozes)
    expect(cluster.isAsleep ? labelOf(cluster) : cluster.object.spec.replicas).to.equal(5)
  })

  it('against a pin is slowed down by backoff, too', () => {
    const cluster = managed('deployments', null)
    cluster.request({ action: 'snooze' })
    cluster.request({ action: 'pin' })
    expectBackoff(
      cluster,
      fought(cluster, () => cluster.setReplicas(5, 'kubectl', 'scale')),
    )
    expect(labelOf(cluster)).to.equal(3)
  })

  it("by a DaemonSet's key is slowed down by backoff", () => {
    const cluster = managed('daemonsets', null)
    cluster.request({ action: 'snooze' })
    const undo = () => cluster.edit(({ spec }) => void delete spec.template.spec.nodeSelector)
    expectBackoff(cluster, fought(cluster, undo))
  })

  it('by kubectl scale has the last intent until the next edge or the end of its hold', () => {
    const cluster = managed('deployments')
    const snoozes = fought(cluster, () => cluster.setReplicas(5, 'kubectl', 'scale'))
    expect(snoozes).to.deep.equal([at('Mon 7:40'), at('Mon 18:00'), at('Tue 6:00')])
  })
})

describe('after any downtime', () => {
  it("there is at most one transition, into the schedule's present state", () => {
    fc.assert(
      fc.property(KIND, fc.integer({ min: 0, max: 20 * 24 * 60 }), (kind, minutes) => {
        const cluster = managed(kind)
        cluster.wait(HOUR)
        const before = cluster.transitions.length
        cluster.now += minutes * MINUTE
        cluster.settle()
        expect(cluster.transitions.length - before).to.be.at.most(1)
        expect(cluster.isAsleep).to.equal(RULES.compile(WORK, 'UTC').stateAt(cluster.now) === 'asleep')
      }),
    )
  })
})
