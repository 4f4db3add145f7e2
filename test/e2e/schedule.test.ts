import { expect } from 'chai'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { annotated } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree } from './agreement.ts'

const REPLICAS = 2
const GRACE = 3000

describeOnBoth('schedules by annotation', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: `${GRACE / 1000}s`, backoff: { maxOperations: 19 } })

  const becomes = (kind: Kind, name: string, state: 'awake' | 'asleep') =>
    eventually(`${kind}/${name} to be ${state}`, async () => {
      const record = await here.workload(kind, name).status()
      return record.is_snoozed === (state === 'asleep') && record
    })

  it('a new workload that its chart enables runs for newWorkloadGrace, then follows its schedule', async () => {
    const workload = await here.create('deployments', 'charted', {
      replicas: REPLICAS,
      annotations: annotated(asleepNow()),
    })
    const { metadata } = await here.get('deployments', 'charted')
    const end = Date.parse(metadata.creationTimestamp) + GRACE
    const record = await eventually('it to be known', () => workload.status())
    if (Date.now() < end) {
      expect(record).to.include({ is_snoozed: false, current_replicas: REPLICAS })
      expect(record.next_transition).to.include({ type: 'snooze', at: new Date(end).toISOString() })
    }
    const { snoozed_at: at } = await becomes('deployments', 'charted', 'asleep')
    expect(Date.parse(at ?? '')).to.be.at.least(end)
    expect((await agree(here, 'deployments', 'charted')).operation_history[0]).to.include({
      trigger: 'schedule',
      by: null,
    })
  })

  describe('of a workload past its grace', () => {
    const kind = 'statefulsets'
    const name = 'annotated'

    before(async () => {
      await here.create(kind, name, { replicas: REPLICAS })
    })

    it('an annotation enables it, and it follows its schedule', async () => {
      await here.annotate(kind, name, annotated(asleepNow()))
      expect(await becomes(kind, name, 'asleep')).to.include({ enabled: true, last_replicas: REPLICAS })
      await agree(here, kind, name)
    })

    it('another schedule takes effect at once', async () => {
      const hours = awakeNow()
      await here.annotate(kind, name, { [ANNOTATION.schedule]: hours })
      expect((await becomes(kind, name, 'awake')).wake_schedule).to.equal(hours)
      await here.settled(kind, name)
      expect((await agree(here, kind, name)).current_replicas).to.equal(REPLICAS)
    })

    it('a schedule that is removed wakes the workload that it had put to sleep', async () => {
      await here.annotate(kind, name, { [ANNOTATION.schedule]: asleepNow() })
      await becomes(kind, name, 'asleep')
      await here.annotate(kind, name, { [ANNOTATION.schedule]: null })
      expect(await becomes(kind, name, 'awake')).to.include({ wake_schedule: null, next_transition: null })
    })
  })

  describe('invalid', () => {
    const kind = 'deployments'
    const name = 'mistyped'

    before(async () => {
      await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
    })

    it('schedule stops automatic operations only, with a reason; correcting it starts them again', async () => {
      const workload = here.workload(kind, name)
      await here.annotate(kind, name, { [ANNOTATION.schedule]: '8:00-25:00,Mon-Fri' })
      const record = await eventually('the fault to be seen', async () => {
        const found = await workload.status()
        return found.wake_schedule === null && found
      })
      expect(record).to.include({ enabled: true, is_snoozed: false, next_transition: null })
      expect(record.reason).to.include(ANNOTATION.schedule)
      expect((await workload.snooze('?wait=60s')).is_snoozed).to.equal(true)
      expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
      expect((await workload.pin()).pin_state).to.equal('active')
      await workload.unpin()
      await eventually('an Event that tells of it', async () => {
        return (await here.events(name)).some(
          ({ reason, type }) => reason === 'InvalidSchedule' && type === 'Warning',
        )
      })
      // A person's request outlasts a change of the schedule that no webhook sees; disabling ends it.
      await workload.disable()
      await workload.enable()
      await here.annotate(kind, name, { [ANNOTATION.schedule]: asleepNow() })
      await becomes(kind, name, 'asleep')
    })

    it('`enabled` turned off by hand wakes a workload, even a pinned one', async () => {
      await here.workload(kind, name).pin()
      await here.annotate(kind, name, { [ANNOTATION.enabled]: 'false' })
      await here.settled(kind, name)
      const record = await eventually('it to be woken', async () => {
        const found = await here.workload(kind, name).status()
        return found.current_replicas === REPLICAS && found
      })
      expect(record).to.include({ enabled: false, is_snoozed: false, pin_state: 'none' })
      expect(record.operation_history[0]).to.include({ type: 'wake', trigger: 'disable' })
      await agree(here, kind, name)
    })
  })
})
