import { expect } from 'chai'
import { SCALABLE_KINDS, SNOOZE_KEY, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'

const REPLICAS = 3

describeOnBoth('scaling by others', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  const enabled = (kind: Kind, name: string) =>
    here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
  const sleeper = (kind: Kind, name: string) =>
    here.asleep(kind, name, { replicas: REPLICAS, schedule: awakeNow() })

  /** Resolves once it is asleep again with this count kept. */
  function sleepsAgain(kind: Kind, name: string, kept: number) {
    return eventually(`it to sleep again with ${kept} kept`, async () => {
      const { replicas, label } = marksOf(await here.get(kind, name))
      return replicas === 0 && label === String(kept)
    })
  }

  for (const kind of SCALABLE_KINDS) {
    it(`kubectl scale wakes ${kind}; the history has the manager that managedFields name`, async () => {
      const name = `scaled-${kind}`
      await sleeper(kind, name)
      await here.kubectl('scale', kind, name, '--replicas', '2')
      await eventually(
        'the wake to be adopted',
        async () => marksOf(await here.get(kind, name)).label === undefined,
      )
      await here.settled(kind, name)
      const record = await agree(here, kind, name)
      expect(record).to.include({ is_snoozed: false, current_replicas: 2, wake_requested: false })
      const { metadata } = await here.get(kind, name)
      const scaler = metadata.managedFields?.find(({ subresource }) => subresource === 'scale')?.manager
      expect(scaler).to.be.a('string')
      expect(record.operation_history[0]).to.include({
        type: 'wake',
        trigger: 'manual',
        replicas: 2,
        by: `manager:${scaler}`,
      })
    })
  }

  describe('an update of a whole sleeping workload is not a wake: it is snoozed again, and the new count is kept', () => {
    for (const kind of SCALABLE_KINDS) {
      it(`by kubectl patch of ${kind}`, async () => {
        const name = `patched-${kind}`
        const workload = await sleeper(kind, name)
        await here.kubectl('patch', kind, name, '--type', 'merge', '-p', '{"spec":{"replicas":5}}')
        await sleepsAgain(kind, name, 5)
        expect((await agree(here, kind, name)).operation_history[0]).to.include({
          trigger: 'recovery',
          by: null,
        })
        expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(5)
      })
    }

    it('by kubectl patch that removes the key of a DaemonSet', async () => {
      const workload = await sleeper('daemonsets', 'freed')
      const path = `/spec/template/spec/nodeSelector/${SNOOZE_KEY.replace('/', '~1')}`
      await here.kubectl(
        'patch',
        'daemonset',
        'freed',
        '--type',
        'json',
        '-p',
        JSON.stringify([{ op: 'remove', path }]),
      )
      await sleepsAgain('daemonsets', 'freed', REPLICAS)
      expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
    })

    it('by kubectl apply', async () => {
      const apply = (revision: string) =>
        here.withFile('apply', manifest('deployments', 'applied', { replicas: REPLICAS, revision }))
      expect((await apply('1')).code).to.equal(0)
      await here.settled('deployments', 'applied')
      const workload = here.workload('deployments', 'applied')
      await workload.enable({ schedule: awakeNow() })
      await workload.snooze('?wait=60s')
      const { code, stderr } = await apply('2')
      expect(code, stderr).to.equal(0)
      await sleepsAgain('deployments', 'applied', REPLICAS)
      await agree(here, 'deployments', 'applied')
    })

    it('by kubectl edit', async () => {
      await sleeper('deployments', 'edited')
      const { code, stderr } = await here.cluster.kubectl.attempt(
        ['edit', 'deployment', 'edited', '-n', here.namespace],
        '',
        {
          KUBE_EDITOR: "sed -i 's/^  replicas: 0$/  replicas: 4/'",
        },
      )
      expect(code, stderr).to.equal(0)
      await sleepsAgain('deployments', 'edited', 4)
      await agree(here, 'deployments', 'edited')
    })
  })

  it('kubectl rollout restart leaves a workload asleep, with its count', async () => {
    const workload = await sleeper('deployments', 'restarted')
    await here.kubectl('rollout', 'restart', 'deployment/restarted')
    await here.settled('deployments', 'restarted')
    expect(await agree(here, 'deployments', 'restarted')).to.include({
      is_snoozed: true,
      last_replicas: REPLICAS,
    })
    expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
  })

  it('scaling of what is awake is left alone, and the next snooze keeps the new count', async () => {
    const workload = await enabled('deployments', 'autoscaled')
    await here.kubectl('scale', 'deployment', 'autoscaled', '--replicas', '5')
    await here.settled('deployments', 'autoscaled')
    const record = await agree(here, 'deployments', 'autoscaled')
    expect(record).to.include({ current_replicas: 5, is_snoozed: false })
    expect(record.operation_history).to.deep.equal([])
    expect(await workload.snooze('?wait=60s')).to.include({ is_snoozed: true, last_replicas: 5 })
    expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(5)
  })

  it('what a person scaled to 0 stays at 0 by schedule, is asleep with 0 kept, and is woken to 1 by request', async () => {
    const workload = await enabled('deployments', 'emptied')
    await here.kubectl('scale', 'deployment', 'emptied', '--replicas', '0')
    await here.settled('deployments', 'emptied')
    expect(await agree(here, 'deployments', 'emptied')).to.include({ is_snoozed: false, current_replicas: 0 })
    await workload.schedule({ schedule: asleepNow() })
    expect(await agree(here, 'deployments', 'emptied')).to.include({ is_snoozed: true, last_replicas: 0 })
    await workload.schedule({ schedule: awakeNow() })
    expect(await agree(here, 'deployments', 'emptied')).to.include({ is_snoozed: false, current_replicas: 0 })
    expect(await workload.wake('?wait=60s')).to.include({ current_replicas: 1, ready_replicas: 1 })
  })

  describe('pins', () => {
    for (const kind of SCALABLE_KINDS) {
      it(`of sleeping ${kind} undo kubectl scale`, async () => {
        const name = `pinned-${kind}`
        const workload = await sleeper(kind, name)
        await workload.pin()
        await here.kubectl('scale', kind, name, '--replicas', '2')
        await eventually('the pin to be enforced', async () => {
          const [newest] = (await workload.status()).operation_history
          return newest?.trigger === 'pin'
        })
        expect(await agree(here, kind, name)).to.include({
          is_snoozed: true,
          pin_state: 'snoozed',
          last_replicas: REPLICAS,
        })
      })

      it(`of ${kind} awake undo scaling to 0, and leave other counts alone`, async () => {
        const name = `held-${kind}`
        const workload = await enabled(kind, name)
        await workload.pin()
        await here.kubectl('scale', kind, name, '--replicas', '2')
        await here.settled(kind, name)
        expect(await agree(here, kind, name)).to.include({ current_replicas: 2, pin_state: 'active' })
        await here.kubectl('scale', kind, name, '--replicas', '0')
        await eventually(
          'the pin to be enforced',
          async () => marksOf(await here.get(kind, name)).replicas === REPLICAS,
        )
        expect((await agree(here, kind, name)).operation_history[0]).to.include({
          type: 'wake',
          trigger: 'pin',
        })
      })
    }
  })

  it('manual scaling of an overridden sleeper wakes it, and the override stays', async () => {
    const workload = await enabled('deployments', 'overridden')
    await workload.override()
    await workload.snooze('?wait=60s')
    await here.kubectl('scale', 'deployment', 'overridden', '--replicas', '2')
    await eventually('the marks to follow', async () => !(await workload.status()).is_snoozed)
    await here.settled('deployments', 'overridden')
    expect(await agree(here, 'deployments', 'overridden')).to.include({
      current_replicas: 2,
      has_manual_override: true,
    })
  })

  it('many status updates during snoozes and wakes cause no conflict and lose nothing', async () => {
    const workload = await enabled('deployments', 'stormy')
    const path = `${here.path('deployments', 'stormy')}/status`
    const calm = new AbortController()
    let updates = 0
    const rage = async (_: unknown, writer: number) => {
      const type = `Storm${writer}`
      while (!calm.signal.aborted) {
        updates += 1
        const conditions = [{ type, status: 'True', reason: `Update${updates}` }]
        const headers = { 'content-type': 'application/strategic-merge-patch+json' }
        await here.cluster.admin.expect('PATCH', path, { status: { conditions } }, headers)
      }
    }
    const storm = Promise.all(Array.from({ length: 4 }, rage))
    try {
      for (let round = 0; round < 3; round += 1) {
        expect(await workload.snooze()).to.include({ is_snoozed: true, last_replicas: REPLICAS })
        expect(await workload.wake()).to.include({ is_snoozed: false, current_replicas: REPLICAS })
      }
    } finally {
      calm.abort()
      await storm
    }
    expect(updates).to.be.greaterThan(10)
    await here.settled('deployments', 'stormy')
    const record = await agree(here, 'deployments', 'stormy')
    expect(record.operation_history.map(({ type }) => type)).to.deep.equal([
      'wake',
      'snooze',
      'wake',
      'snooze',
      'wake',
      'snooze',
    ])
  })
})
