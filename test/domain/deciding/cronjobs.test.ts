import { expect } from 'chai'
import { changed } from '../../../src/domain/workload/change.ts'
import { statusPatch } from '../../../src/domain/deciding/missed-runs.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { jsonPatch } from '../../../src/domain/workload/patch.ts'
import { releaseChange } from '../../../src/domain/deciding/release.ts'
import { planRequest } from '../../../src/domain/requests/request.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aCronJob } from '../../support/workloads.ts'

const SCHEDULE = '8:00-18:00,Mon-Fri'
const EDGE = at('Tue 8:00')
const awake = aCronJob()
  .enabled()
  .scheduled(SCHEDULE)
  .with({ lastScheduleTime: at('Mon 17:00') })
const asleep = awake.snoozed({ at: at('Mon 18:00') })

function stepped(workload: Workload, now: number): Workload {
  const { change } = planStep(workload, now, RULES)
  return change ? changed(workload, change) : workload
}

describe('CronJobs', () => {
  it('sleep suspended, in one patch that tests what it rests on', () => {
    const { change, decision } = planStep(awake, at('Mon 18:00'), RULES)
    expect(decision.action).to.equal('snooze')
    expect(change).to.deep.include({ replicas: 0, label: '1' })
    const patch = jsonPatch(awake, change!)
    expect(patch).to.deep.include({ op: 'test', path: '/spec/suspend', value: false })
    expect(patch).to.deep.include({ op: 'replace', path: '/spec/suspend', value: true })
    expect(statusPatch(awake, change!)).to.deep.equal([])
  })

  it('have gone to sleep and woken at once: the Jobs that run finish', () => {
    const step = planStep(awake, at('Mon 18:00'), RULES)
    expect(step.target?.state.history[0]).to.include({ type: 'snooze', result: 'succeeded', duration: 0 })
  })

  it('wake at an edge without the runs missed before it, and with those that are due since then', () => {
    for (const late of [0, 5 * MINUTE]) {
      const { change } = planStep(asleep, EDGE + late, RULES)
      expect(change).to.include({ replicas: 1, lastScheduleTime: EDGE - 1000 })
      expect(statusPatch(asleep, change!)).to.deep.equal([
        { op: 'test', path: '/metadata/uid', value: asleep.uid },
        { op: 'test', path: '/status/lastScheduleTime', value: '2026-03-02T17:00:00Z' },
        { op: 'add', path: '/status/lastScheduleTime', value: '2026-03-03T07:59:59Z' },
      ])
      expect(JSON.stringify(jsonPatch(asleep, change!))).not.to.include('lastScheduleTime')
    }
  })

  it('wake at an edge of a new schedule that lies before their sleep, without the runs until that began', () => {
    const intent = {
      want: 'asleep',
      by: null,
      trigger: 'schedule',
      at: at('Mon 18:00'),
      before: 'awake',
    } as const
    const late = awake.snoozed({ at: EDGE + 30 * MINUTE }).remembering({ intent })
    const { change, decision } = planStep(late, EDGE + 45 * MINUTE, RULES)
    expect(decision).to.deep.include({ action: 'wake', trigger: 'schedule' })
    expect(change).to.include({ lastScheduleTime: EDGE + 30 * MINUTE })
    const early = planStep(late, EDGE + 10 * MINUTE, RULES)
    expect(early.change, 'by a clock that was set back').to.include({ lastScheduleTime: EDGE + 10 * MINUTE })
  })

  it('wake by a request without any run that was missed until now', () => {
    const now = at('Mon 23:10') + 1234
    const { change } = planRequest(asleep, { action: 'wake' }, 'k8s:alice', now, RULES)
    expect(change).to.include({ replicas: 1, lastScheduleTime: at('Mon 23:10') + 1000 })
    const never = asleep.with({ lastScheduleTime: undefined })
    const first = planRequest(never, { action: 'wake' }, 'k8s:alice', now, RULES).change
    expect(statusPatch(never, first!)).to.deep.include({
      op: 'test',
      path: '/status/lastScheduleTime',
      value: null,
    })
  })

  it('wake after an override that outlasted the edge without the runs missed until its end', () => {
    const held = asleep.overridden(EDGE + 30 * MINUTE)
    const { change, decision } = planStep(held, EDGE + 30 * MINUTE, RULES)
    expect(decision.action).to.equal('wake')
    expect(change).to.include({ lastScheduleTime: EDGE + 30 * MINUTE })
  })

  it('are released without the runs that they missed', () => {
    const change = releaseChange(asleep, at('Mon 22:00'), RULES)
    expect(change).to.include({ replicas: 1, lastScheduleTime: at('Mon 22:00') })
  })

  it('never have lastScheduleTime set back, nor before their creation', () => {
    const newer = asleep.with({ lastScheduleTime: EDGE + MINUTE })
    expect(planStep(newer, EDGE, RULES).change).not.to.have.property('lastScheduleTime')
    const young = asleep.with({ lastScheduleTime: undefined, createdAt: EDGE })
    expect(planStep(young, EDGE, RULES).change).not.to.have.property('lastScheduleTime')
  })

  it('lose nothing if the process ends between the two writes', () => {
    const { change } = planStep(asleep, EDGE, RULES)
    const between = asleep.with({ lastScheduleTime: change!.lastScheduleTime })
    const again = planStep(between, EDGE + MINUTE, RULES).change
    expect(again).to.include({ replicas: 1 })
    expect(again).not.to.have.property('lastScheduleTime')
  })

  it('that are to catch up keep their lastScheduleTime, and the patch tests that', () => {
    const catching = asleep.annotated({ catchUp: 'true' })
    const { change } = planStep(catching, EDGE, RULES)
    expect(change).to.include({ replicas: 1 }).and.not.to.have.property('lastScheduleTime')
    expect(jsonPatch(catching, change!)).to.deep.include({
      op: 'test',
      path: '/metadata/annotations/dormouse.dev~1catch-up',
      value: 'true',
    })
  })

  it('that a person had suspended are never resumed by the schedule, but by a wake request', () => {
    const suspended = awake.withReplicas(0)
    const night = stepped(suspended, at('Mon 18:00'))
    expect(night.labels).to.include({ 'dormouse.dev/asleep': '0' })
    const morning = stepped(night, EDGE)
    expect(morning).to.include({ replicas: 0, lastScheduleTime: suspended.lastScheduleTime })
    expect(morning.labels).to.deep.equal({})
    const { change } = planRequest(night, { action: 'wake' }, 'k8s:alice', at('Mon 20:00'), RULES)
    expect(change).to.include({ replicas: 1 })
  })

  it('found resumed while they sleep are suspended again', () => {
    const { decision, change } = planStep(asleep.with({ replicas: 1 }), at('Mon 20:00'), RULES)
    expect(decision).to.include({ action: 'snooze', trigger: 'recovery' })
    expect(change).to.include({ replicas: 0 })
  })

  it('have a count of 1 at most, whatever their marks say', () => {
    const forged = asleep.labelled({ 'dormouse.dev/asleep': '7' })
    expect(stepped(forged, at('Mon 20:00')).labels).to.include({ 'dormouse.dev/asleep': '1' })
    expect(planStep(forged, EDGE, RULES).change).to.include({ replicas: 1 })
  })
})
