import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow } from '../support/schedules.ts'
import { agree } from './agreement.ts'
import { warningsOf } from './verdicts.ts'
import { itWith } from '../suite/need.ts'
import { kubectl } from '../support/kubectl.ts'

const MINUTE = 60_000

describeOnBoth('CronJobs', function (on) {
  this.timeout(180_000)
  const here = enforced(on)
  const suspended = async (name: string) => (await here.get('cronjobs', name)).spec.suspend

  before(() => here.inForce())

  it('that a person suspended stay suspended when their hours of sleep end', async () => {
    await here.create('cronjobs', 'theirs', { replicas: 0 })
    const workload = here.workload('cronjobs', 'theirs')
    expect(await workload.enable({ schedule: asleepNow() })).to.include({
      is_snoozed: true,
      last_replicas: 0,
    })
    const woken = await workload.schedule({ schedule: '0:00-24:00' })
    expect(woken).to.include({ is_snoozed: false, current_replicas: 0 })
    expect(await suspended('theirs')).to.equal(true)
  })

  itWith(
    kubectl,
    'that sleep stay suspended when their manifest is applied again, and run once they wake',
    async () => {
      const object = manifest('cronjobs', 'synced')
      const running = { ...object, spec: { ...object.spec, suspend: false } }
      expect((await here.withFile('apply', running)).code).to.equal(0)
      const workload = here.workload('cronjobs', 'synced')
      await eventually(
        'it to be enabled',
        async () => (await workload.attempt('POST', 'enable')).status === 200,
      )
      await workload.snooze()
      const result = await here.withFile('apply', running)
      expect(result.code, result.stderr).to.equal(0)
      expect(warningsOf(result)[0]).to.include('is asleep and stays suspended')
      expect(await agree(here, 'cronjobs', 'synced')).to.include({ is_snoozed: true, last_replicas: 1 })
      expect(await suspended('synced')).to.equal(true)
      await workload.wake()
      expect(await suspended('synced')).to.equal(false)
    },
  )

  // Nobody starts Jobs on the sandbox.
  if (!on.isReal) return
  describe('that missed runs', () => {
    const jobsOf = async (name: string) => {
      const path = `/apis/batch/v1/namespaces/${here.namespace}/jobs`
      const { items = [] } = await on().admin.expect('GET', path)
      return (items as unknown as { metadata: { name: string } }[]).filter(({ metadata }) =>
        metadata.name.startsWith(`${name}-`),
      )
    }

    /** A sleeper whose one run of today was due three minutes ago. */
    async function missing(name: string, annotations = {}): Promise<void> {
      const due = new Date(Date.now() - 3 * MINUTE)
      const object = manifest('cronjobs', name, { annotations })
      const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`
      const spec = { ...object.spec, schedule, timeZone: 'Etc/UTC' }
      await here.cluster.create(here.namespace, [{ ...object, spec }])
      const workload = here.workload('cronjobs', name)
      await eventually(
        'it to be known',
        async () => (await workload.attempt('POST', 'enable')).status === 200,
      )
      await workload.snooze()
      const lastScheduleTime = new Date(Date.now() - 60 * MINUTE).toISOString().replace(/\.\d+/, '')
      await on().admin.expect('PATCH', `${here.path('cronjobs', name)}/status`, {
        status: { lastScheduleTime },
      })
    }

    it('start none of them when they wake, and one if they are to catch up', async () => {
      await missing('forgets')
      await missing('catches-up', { [ANNOTATION.catchUp]: 'true' })
      const before = Date.now()
      await here.workload('cronjobs', 'forgets').wake()
      await here.workload('cronjobs', 'catches-up').wake()
      await eventually('the run that is caught up', async () => (await jobsOf('catches-up')).length === 1)
      const { status, spec } = await here.get('cronjobs', 'forgets')
      expect(spec.suspend).to.equal(false)
      expect(Date.parse(status?.lastScheduleTime ?? '')).to.be.at.least(before - 2000)
      expect(await jobsOf('forgets')).to.deep.equal([])
    })

    it('would have started one without that: a hand that resumes them starts it', async () => {
      await missing('resumed')
      await on().admin.expect('PATCH', here.path('cronjobs', 'resumed'), { spec: { suspend: false } })
      await eventually('the run that was missed', async () => (await jobsOf('resumed')).length === 1)
    })

    it('give the ownership of spec.suspend back once they are awake', async () => {
      await here.asleep('cronjobs', 'applied')
      await here.workload('cronjobs', 'applied').wake()
      const object = manifest('cronjobs', 'applied')
      const running = { ...object, spec: { ...object.spec, suspend: false } }
      await eventually('a server-side apply without a conflict', async () => {
        const { code } = await here.withFile('apply', running, '--server-side', '--field-manager=gitops')
        return code === 0
      })
    })
  })
})
