import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { sleepsAt, wakesAt } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const MINUTE = 60_000
/** Minutes that they sleep: Kubernetes would start one Job for the last of these runs. */
const ASLEEP = 3
const NAMES = ['forgets', 'catches-up'] as const

describeOn('CronJobs that run every minute, through a night of three', function (on) {
  this.timeout(12 * MINUTE)
  const here = served(on, { newWorkloadGrace: '0s' })

  /** The scheduled time of each Job of a CronJob, from its name, in minutes. */
  async function runsOf(name: string): Promise<number[]> {
    const { items = [] } = await on().admin.expect('GET', `/apis/batch/v1/namespaces/${here.namespace}/jobs`)
    return (items as unknown as { metadata: { name: string } }[])
      .map(({ metadata }) => new RegExp(`^${name}-(\\d+)$`).exec(metadata.name)?.[1])
      .filter((minute) => minute !== undefined)
      .map((minute) => Number(minute) * MINUTE)
      .toSorted((a, b) => a - b)
  }

  it('start no run that they missed, but the one that is due at the edge; to catch up starts no more', async () => {
    const evening = (Math.floor(Date.now() / MINUTE) + 2) * MINUTE
    const morning = evening + ASLEEP * MINUTE
    for (const name of NAMES) {
      const annotations = name === 'catches-up' ? { [ANNOTATION.catchUp]: 'true' } : {}
      const object = manifest('cronjobs', name, { annotations })
      const spec = { ...object.spec, schedule: '* * * * *', successfulJobsHistoryLimit: 50 }
      await on().create(here.namespace, [{ ...object, spec }])
      await eventually('it to be enabled', async () => {
        const { status } = await here.workload('cronjobs', name).attempt('POST', 'enable')
        return status === 200
      })
      await here.workload('cronjobs', name).schedule({ schedule: sleepsAt(evening) })
    }
    await eventually(
      'the evening',
      async () => (await here.workload('cronjobs', NAMES[0]).status()).is_snoozed,
      {
        timeout: 4 * MINUTE,
        pause: 1000,
      },
    )
    for (const name of NAMES) await here.workload('cronjobs', name).schedule({ schedule: wakesAt(morning) })
    await sleep(morning - Date.now() + MINUTE + 20_000)
    for (const name of NAMES) {
      const runs = await runsOf(name)
      expect(
        runs.filter((at) => at < evening),
        `${name}: before the evening`,
      ).not.to.deep.equal([])
      expect(
        runs.filter((at) => at > evening && at < morning),
        `${name}: in the night`,
      ).to.deep.equal([])
      expect(
        runs.filter((at) => at >= morning),
        `${name}: in the morning`,
      ).to.deep.equal([morning, morning + MINUTE])
    }
  })

  it('woken between two runs start none, and the latest that they missed if they are to catch up', async () => {
    for (const name of NAMES) await here.workload('cronjobs', name).snooze('?for=1h')
    const slept = Date.now()
    await sleep((Math.floor(slept / MINUTE) + ASLEEP) * MINUTE + 20_000 - slept)
    const missed = Math.floor(Date.now() / MINUTE) * MINUTE
    for (const name of NAMES) await here.workload('cronjobs', name).wake('?for=1h')
    await eventually('the run that is caught up', async () => (await runsOf('catches-up')).includes(missed), {
      timeout: 30_000,
    })
    await sleep(missed + MINUTE + 20_000 - Date.now())
    const since = async (name: string) => (await runsOf(name)).filter((at) => at > slept)
    expect(await since('catches-up')).to.deep.equal([missed, missed + MINUTE])
    expect(await since('forgets')).to.deep.equal([missed + MINUTE])
  })
})
