import { expect } from 'chai'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { MINUTE, SECOND } from '../support/rules.ts'
import { asleepNow, awakeNow, comingMinute, sleepsAt, wakesAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree } from './agreement.ts'

const REPLICAS = 2
/** One of each form of sleeping. */
const FORMS: readonly Kind[] = ['deployments', 'daemonsets', 'cronjobs']

/** An edge, and then the end of what holds for half an hour; the clock of Dormouse is put forward to both. */
describeOnBoth('an edge', function (on) {
  this.timeout(120_000)
  const clock = new ProgramClock()
  const here = served(on, { newWorkloadGrace: '0s', wakeHold: '30m', wakeOrderTimeout: '10m' }, clock.preload)
  let moved: number
  let edge: number
  let overrideEnds: number

  const one = (name: string, kind: Kind = 'deployments') => here.workload(kind, name)
  const enabled = (name: string, schedule?: string) =>
    here.enabled('deployments', name, { replicas: REPLICAS, ...(schedule && { schedule }) })

  before('workloads that meet it, and some that are held', async () => {
    edge = comingMinute(20 * MINUTE)
    const overridden = await enabled('expires', awakeNow())
    overrideEnds = Date.parse((await overridden.override('30m')).manual_override_until ?? '')
    expect((await overridden.schedule({ schedule: asleepNow() })).is_snoozed).to.equal(false)
    expect((await (await enabled('brief')).snooze('?for=30m')).is_snoozed).to.equal(true)
    expect((await (await enabled('held', asleepNow())).wake()).is_snoozed).to.equal(false)
    for (const kind of FORMS) {
      await here.enabled(kind, 'sleeps', { replicas: REPLICAS, schedule: sleepsAt(edge) })
      await here.enabled(kind, 'wakes', { replicas: REPLICAS, schedule: wakesAt(edge) })
      expect((await one('wakes', kind).status()).is_snoozed).to.equal(true)
    }
    const annotations = { [ANNOTATION.sleepOrder]: '9', [ANNOTATION.wakeOrder]: '9' }
    await here.enabled('deployments', 'sleeps-last', { annotations, schedule: sleepsAt(edge) })
    await here.enabled('deployments', 'wakes-last', { annotations, schedule: wakesAt(edge) })
    await (await enabled('pinned', sleepsAt(edge))).pin()
    await (await enabled('overridden', sleepsAt(edge))).override()
    await (await enabled('kept-up', sleepsAt(edge))).wake('?for=2h')
    await (await enabled('kept-down', wakesAt(edge))).snooze('?for=2h')
    moved = Date.now()
    clock.moveTo(edge - 2 * SECOND - moved)
  })

  after(() => clock.remove())

  /** The newest operation, once it is such a one of the schedule. */
  const bySchedule = (name: string, type: 'snooze' | 'wake', kind?: Kind) =>
    eventually(`a ${type} of ${name}`, async () => {
      const [newest] = (await one(name, kind).status()).operation_history
      return newest?.type === type && newest.trigger === 'schedule' && newest
    })

  for (const kind of FORMS)
    it(`puts ${kind} to sleep and wakes them, not before its second`, async () => {
      for (const [name, type] of [
        ['sleeps', 'snooze'],
        ['wakes', 'wake'],
      ] as const) {
        const { timestamp, by } = await bySchedule(name, type, kind)
        expect(by).to.equal(null)
        expect(Date.parse(timestamp)).to.be.at.least(edge)
        await here.settled(kind, name)
        expect((await agree(here, kind, name)).is_snoozed).to.equal(name === 'sleeps')
      }
      const patches = (await here.cluster.requestsSince(moved)).filter(
        ({ verb, url }) => verb === 'write' && url.includes(`/${here.namespace}/${kind}/`),
      )
      expect(Math.min(...patches.map(({ at }) => at)) + clock.offset).to.be.at.least(edge)
    })

  for (const [name, type] of [
    ['sleeps', 'snooze'],
    ['wakes', 'wake'],
  ] as const)
    it(`${name} a higher number once the pods of all lower ones have followed`, async () => {
      const { timestamp } = await bySchedule(`${name}-last`, type)
      for (const kind of FORMS) {
        const lower = await bySchedule(name, type, kind)
        expect(lower.result).to.equal('succeeded')
        expect(Date.parse(timestamp)).to.be.at.least(Date.parse(lower.timestamp) + lower.duration)
      }
    })

  it('does not touch what is pinned or overridden; unpinned or cleared, they follow their schedule', async () => {
    expect(await agree(here, 'deployments', 'pinned')).to.include({ is_snoozed: false, pin_state: 'active' })
    expect(await agree(here, 'deployments', 'overridden')).to.include({
      is_snoozed: false,
      has_manual_override: true,
    })
    expect((await one('pinned').unpin()).is_snoozed).to.equal(true)
    expect((await one('overridden').clearOverride()).is_snoozed).to.equal(true)
  })

  it('does not touch what a request has woken or snoozed for longer', async () => {
    const [up, down] = [await one('kept-up').status(), await one('kept-down').status()]
    expect(up).to.include({ is_snoozed: false, wake_requested: true })
    expect(down).to.include({ is_snoozed: true, snooze_requested: true })
  })

  it('is measured by schedule_lag_seconds and operations_total', async () => {
    const metrics = await here.dormouse.metrics()
    expect(sumOf(metrics, 'dormouse_schedule_lag_seconds_count')).to.be.at.least(2 * FORMS.length)
    const snoozes = { type: 'snooze', trigger: 'schedule', kind: 'daemonsets', result: 'succeeded' }
    expect(sumOf(metrics, 'dormouse_operations_total', snoozes)).to.be.at.least(1)
  })

  it('at its end, an override, a snooze and a wake for a time give way to the schedule', async () => {
    clock.moveTo(overrideEnds + MINUTE - Date.now())
    const { timestamp } = await bySchedule('expires', 'snooze')
    expect(Date.parse(timestamp)).to.be.at.least(overrideEnds)
    expect(await agree(here, 'deployments', 'expires')).to.include({
      has_manual_override: false,
      last_replicas: REPLICAS,
    })
    await bySchedule('brief', 'wake')
    await here.settled('deployments', 'brief')
    expect((await agree(here, 'deployments', 'brief')).current_replicas).to.equal(REPLICAS)
    await bySchedule('held', 'snooze')
  })
})
