import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { awakeNow } from '../support/schedules.ts'
import { agree } from './agreement.ts'

/** The rules are in test/domain/deciding. */
describeOnBoth('a workload that sleeps down to 1', function (on) {
  this.timeout(240_000)
  const here = enforced(on)

  it('sleeps on when it is scaled to 1 or less, wakes when it is scaled to 2, and wakes to what it kept', async () => {
    const web = await here.asleep('deployments', 'web', {
      replicas: 3,
      schedule: awakeNow(),
      annotations: { [ANNOTATION.asleepReplicas]: '1' },
    })
    const status = () => agree(here, 'deployments', 'web')
    const asleep = { is_snoozed: true, phase: 'asleep', current_replicas: 1, last_replicas: 3 }
    expect(await status()).to.include({ ...asleep, ready_replicas: 1 })

    for (const replicas of [1, 0, 1]) {
      expect((await here.scale('deployments', 'web', replicas)).status).to.equal(200)
      await here.settled('deployments', 'web')
      expect(await status()).to.include({ ...asleep, current_replicas: replicas })
    }
    await here.annotate('deployments', 'web', { [ANNOTATION.asleepReplicas]: '2' })
    await eventually('its count to follow', async () => (await status()).current_replicas === 2)
    await here.annotate('deployments', 'web', { [ANNOTATION.asleepReplicas]: '1' })
    await eventually('its count to follow', async () => (await status()).current_replicas === 1)
    expect((await status()).operation_history.map(({ type }) => type)).to.deep.equal(['snooze'])

    await here.scale('deployments', 'web', 2)
    await eventually('the wake to be adopted', async () => !(await status()).is_snoozed)
    expect(await status()).to.include({ current_replicas: 2, last_replicas: 3, wake_requested: false })

    await web.snooze('?wait=60s')
    expect(await status()).to.include(asleep)
    expect(await web.wake('?wait=60s')).to.include({ is_snoozed: false, ready_replicas: 3 })
  })
})
