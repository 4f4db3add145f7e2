import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow } from '../support/schedules.ts'

/** Milliseconds for which the leader's watch says nothing, once all have acted. */
const LAG = 20_000

describeOn('people who act while the watch of the leader lags by seconds', function (on) {
  this.timeout(240_000)
  const here = throughFaults(on, { newWorkloadGrace: '0s' })

  it('get what they asked for last, at once, and nothing undoes it when the watch catches up', async () => {
    const names = [
      'twice',
      'scaled',
      'deployed',
      'scheduled',
      'stopped',
      'forth',
      'pinned',
      'unpinned',
      'overridden',
      'annotated',
      'disabled',
    ] as const
    const all = Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await here.enabled('deployments', name, { replicas: 3 })] as const),
      ),
    )
    const at = (name: (typeof names)[number]) => all[name]!
    const thaw = here.proxy.freeze('deployments')

    await at('twice').snooze()
    expect(await at('twice').wake()).to.include({ current_replicas: 3 })

    await at('scaled').snooze()
    expect((await here.scale('deployments', 'scaled', 2)).status).to.equal(200)

    await at('deployed').snooze()
    const path = here.path('deployments', 'deployed')
    await on().admin.expect('PATCH', path, { spec: { minReadySeconds: 1 } })

    await here.annotate('deployments', 'scheduled', { [ANNOTATION.schedule]: asleepNow() })

    expect((await here.scale('deployments', 'stopped', 0)).status).to.equal(200)

    for (const action of ['snooze', 'wake', 'snooze'] as const) await at('forth')[action]()

    await at('pinned').pin()
    await here.annotate('deployments', 'pinned', { [ANNOTATION.schedule]: asleepNow() })

    await here.annotate('deployments', 'unpinned', { [ANNOTATION.schedule]: asleepNow() })
    await at('unpinned').pin()
    await at('unpinned').unpin()

    await at('overridden').snooze()
    await at('overridden').override()
    expect((await here.scale('deployments', 'overridden', 2)).status).to.equal(200)

    await at('annotated').snooze()
    await here.annotate('deployments', 'annotated', { [ANNOTATION.schedule]: asleepNow() })
    expect(await at('annotated').wake()).to.include({ current_replicas: 3 })

    await at('disabled').snooze()
    await at('disabled').disable()
    await sleep(LAG)
    const since = Date.now()
    thaw()

    const expected = {
      twice: 3,
      scaled: 2,
      deployed: 0,
      scheduled: 0,
      stopped: 0,
      forth: 0,
      pinned: 3,
      unpinned: 0,
      overridden: 2,
      annotated: 3,
      disabled: 3,
    }
    const counts = async () =>
      Object.fromEntries(
        await Promise.all(
          names.map(async (name) => [name, (await here.get('deployments', name)).spec?.replicas] as const),
        ),
      )
    await eventually('all to be as they were asked for last', async () => {
      expect(await counts()).to.deep.equal(expected)
      return true
    })
    const kept = async (name: (typeof names)[number]) => (await at(name).status()).last_replicas
    await eventually('the leader to know them', async () => (await at('scheduled').status()).is_snoozed)
    expect([await kept('deployed'), await kept('scheduled'), await kept('forth')]).to.deep.equal([3, 3, 3])
    expect(await at('scaled').status()).to.include({ is_snoozed: false, current_replicas: 2 })
    expect(await at('stopped').status()).to.include({ is_snoozed: false, current_replicas: 0 })
    const patches = await here.patches(since, 'deployments')
    expect(patches, 'no write undoes another').to.be.at.most(2 * names.length)
    expect(await counts()).to.deep.equal(expected)
  })
})
