import { expect } from 'chai'
import fc from 'fast-check'
import { KINDS, type Workload } from '../../../src/domain/workload/workload.ts'
import { ComingTransitions } from '../../../src/service/metrics/coming.ts'
import { ModelCluster } from '../../domain/model.ts'
import { People, upTo } from '../../domain/people.ts'
import { stepped } from '../../support/decisions.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { FollowedTracker, PassingTime } from './followed.ts'
import { asleep, aWorkload, NOW, withState } from './workload.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const OFFICE = { enabled: 'true', schedule: '8:00-18:00,Mon-Fri' }
const EVENING = NOW + 6 * HOUR
const MORNING = EVENING + 14 * HOUR

const inOffice = (name: string, change: Partial<Workload> = {}) =>
  aWorkload(name, { annotations: OFFICE, ...change })

function following(...workloads: Workload[]) {
  const tracker = new FollowedTracker(RULES)
  const { time } = tracker
  for (const workload of workloads) tracker.changed(undefined, workload)
  return { tracker, coming: tracker.coming, time }
}

describe('coming transitions', () => {
  it('are counted up to a time, and the soonest are a wave', () => {
    const coming = new ComingTransitions()
    for (const at of [NOW + 1, NOW + HOUR, NOW + HOUR, NOW + DAY]) {
      coming.replace(undefined, { type: 'snooze', at })
    }
    expect(coming.within('snooze', NOW, HOUR)).to.equal(3)
    expect(coming.within('wake', NOW, DAY)).to.equal(0)
    expect(coming.next('snooze', NOW + 1)).to.deep.equal({ at: NOW + HOUR, workloads: 2 })
    coming.replace({ type: 'snooze', at: NOW + HOUR }, { type: 'wake', at: NOW + 2 * HOUR })
    expect(coming.next('snooze', NOW + 1)).to.deep.equal({ at: NOW + HOUR, workloads: 1 })
    expect(coming.next('wake', NOW)).to.deep.equal({ at: NOW + 2 * HOUR, workloads: 1 })
  })

  it('come from the schedules', () => {
    const { coming } = following(inOffice('a'), inOffice('b'), aWorkload('no schedule'))
    expect(coming.next('snooze', NOW)).to.deep.equal({ at: EVENING, workloads: 2 })
    expect(coming.next('wake', NOW)).to.equal(undefined)
  })

  it('are overdue from their instant on until the workload has changed', () => {
    const web = inOffice('web')
    const { tracker, coming, time } = following(web)
    expect(coming.overdue('snooze', EVENING - 1)).to.equal(0)
    expect(coming.overdue('snooze', EVENING)).to.equal(1)
    expect(coming.next('snooze', EVENING)).to.equal(undefined)
    time.now = EVENING
    const { after } = stepped(web, EVENING, RULES)
    tracker.changed(web, after)
    expect(coming.overdue('snooze', EVENING)).to.equal(0)
    expect(coming.next('wake', EVENING)).to.deep.equal({ at: MORNING, workloads: 1 })
  })

  it('leave out workloads that are pinned, being deleted, unreadable or not managed', () => {
    const web = inOffice('web')
    const pin = { state: 'active' as const, replicas: 3, at: NOW, by: 'k8s:me' }
    const { tracker, coming } = following(
      withState(inOffice('pinned'), { pin }),
      inOffice('going', { deleting: true }),
      inOffice('broken', { annotations: { ...OFFICE, state: '{' } }),
      inOffice('free', { annotations: { ...OFFICE, enabled: 'false' } }),
      web,
    )
    expect(coming.within('snooze', NOW, DAY)).to.equal(1)
    tracker.changed(web, { ...web, deleting: true })
    expect(coming.within('snooze', NOW, DAY)).to.equal(0)
  })

  it('wait for the end of an override', () => {
    const override = { until: NOW + 8 * HOUR, at: NOW, by: 'k8s:me' }
    const { coming } = following(withState(inOffice('held'), { override }))
    expect(coming.next('snooze', NOW)).to.deep.equal({ at: NOW + 8 * HOUR, workloads: 1 })
  })

  it('that happened are remembered: the last snooze and wake by schedule, also from before this start', () => {
    const operation = { type: 'snooze', trigger: 'schedule', replicas: 0, duration: 5, by: null } as const
    const done = { ...operation, result: 'succeeded' } as const
    const history = [{ ...done, at: NOW - 1, trigger: 'api' } as const, { ...done, at: NOW - HOUR }]
    const { tracker } = following(
      withState(inOffice('a'), { history }),
      withState(inOffice('b'), { history: [{ ...done, at: NOW - DAY }] }),
    )
    expect([tracker.latest('snooze'), tracker.latest('wake')]).to.deep.equal([NOW - HOUR, undefined])
  })

  it('are dropped with their workload', () => {
    const sleeper = asleep(inOffice('web'))
    const { tracker, coming } = following(sleeper)
    expect(coming.overdue('wake', NOW) + coming.within('wake', NOW, 7 * DAY)).to.equal(1)
    tracker.changed(sleeper, undefined)
    expect(coming.overdue('wake', NOW) + coming.within('wake', NOW, 7 * DAY)).to.equal(0)
  })

  it('are those of the right time again within a minute after the clock was wrong, for long or for a moment', () => {
    const ahead = NOW + 365 * DAY
    const since = new FollowedTracker(RULES, new PassingTime(ahead))
    const forAMoment = new FollowedTracker(RULES)
    forAMoment.time.now = ahead
    for (const tracker of [since, forAMoment]) {
      for (let index = 0; index < 700; index++) tracker.changed(undefined, inOffice(`web-${index}`))
      tracker.time.now = NOW
      tracker.time.pass(MINUTE)
      expect(tracker.coming.next('snooze', NOW)).to.deep.equal({ at: EVENING, workloads: 700 })
    }
  })

  it('are still overdue when nobody acts, until the next edge has made them right again', () => {
    const { coming, time } = following(inOffice('web'))
    time.pass(EVENING + 5 * HOUR - NOW)
    expect(coming.overdue('snooze', time.now)).to.equal(1)
    time.pass(MORNING - time.now)
    expect(coming.overdue('snooze', time.now)).to.equal(0)
    expect(coming.next('snooze', time.now)).to.deep.equal({ at: MORNING + 10 * HOUR, workloads: 1 })
  })

  it('leave out of the latest wave what a wrong time has dated', () => {
    const tracker = new FollowedTracker(RULES, new PassingTime(NOW + 365 * DAY))
    const { time } = tracker
    const dated = (when: number) => aDeployment().enabled().snoozed({ at: when })
    const web = dated(time.now)
    tracker.changed(undefined, web)
    expect(tracker.latest('snooze')).to.equal(time.now)
    time.now = NOW
    expect(tracker.latest('snooze')).to.equal(undefined)
    tracker.changed(web, dated(NOW - 1000))
    expect(tracker.latest('snooze')).to.equal(NOW - 1000)
  })

  it('are never overdue after the controller has acted, whatever people do', () => {
    const everything = fc.tuple(fc.constantFrom(...KINDS), upTo(25))
    const holds = fc.property(everything, ([kind, events]) => {
      const cluster = new ModelCluster(kind, at('Mon 7:30'), RULES)
      cluster.annotate('enabled', 'true')
      cluster.annotate('schedule', OFFICE.schedule)
      cluster.settle()
      const people = new People(cluster)
      const time = new PassingTime(cluster.now)
      const tracker = new FollowedTracker(RULES, time)
      let seen: Workload | undefined
      for (const event of events) {
        people.do(event)
        time.pass(cluster.now - time.now)
        tracker.changed(seen, cluster.workload)
        seen = cluster.workload
        time.pass(0)
        const overdue = [
          tracker.coming.overdue('snooze', cluster.now),
          tracker.coming.overdue('wake', cluster.now),
        ]
        expect(overdue).to.deep.equal([0, 0])
      }
    })
    fc.assert(holds, { numRuns: 300, seed: 20_260_302 })
  })
})
