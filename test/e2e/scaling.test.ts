import { expect } from 'chai'
import { SNOOZE_KEY, type Kind } from '../../src/domain/workload/workload.ts'
import { describeKubectlOnBoth } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'

const REPLICAS = 3

/** Without the webhook. The rules for all kinds are in test/domain/deciding; here is what managedFields tell of who writes. */
describeKubectlOnBoth('scaling by others', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  const enabled = (name: string) =>
    here.enabled('deployments', name, { replicas: REPLICAS, schedule: awakeNow() })
  const sleeper = (name: string, kind: Kind = 'deployments') =>
    here.asleep(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
  const scale = (name: string, replicas: number) =>
    here.kubectl('scale', 'deployment', name, `--replicas=${replicas}`)

  it('kubectl scale wakes; the history has the manager that managedFields name', async () => {
    await sleeper('scaled')
    await scale('scaled', 2)
    await eventually('the wake to be adopted', async () => {
      return marksOf(await here.get('deployments', 'scaled')).label === undefined
    })
    const { metadata } = await here.settled('deployments', 'scaled')
    const record = await agree(here, 'deployments', 'scaled')
    expect(record).to.include({ is_snoozed: false, current_replicas: 2, wake_requested: false })
    const scaler = metadata.managedFields?.find(({ subresource }) => subresource === 'scale')?.manager
    expect(scaler).to.be.a('string')
    const by = `manager:${scaler}`
    expect(record.operation_history[0]).to.include({ type: 'wake', trigger: 'manual', replicas: 2, by })
  })

  describe('an update of a whole sleeping workload is not a wake: it is snoozed again', () => {
    const key = `/spec/template/spec/nodeSelector/${SNOOZE_KEY.replace('/', '~1')}`
    type Case = readonly [how: string, kind: Kind, kept: number, act: (name: string) => Promise<unknown>]
    const ACTS: readonly Case[] = [
      [
        'by kubectl patch, with the new count kept',
        'deployments',
        5,
        (name) => here.kubectl('patch', 'deployment', name, '--type=merge', '-p', '{"spec":{"replicas":5}}'),
      ],
      [
        'by kubectl patch to fewer, with no fewer kept',
        'deployments',
        REPLICAS,
        (name) => here.kubectl('patch', 'deployment', name, '--type=merge', '-p', '{"spec":{"replicas":1}}'),
      ],
      [
        'by kubectl patch that removes the key of a DaemonSet',
        'daemonsets',
        REPLICAS,
        (name) =>
          here.kubectl(
            'patch',
            'ds',
            name,
            '--type=json',
            '-p',
            JSON.stringify([{ op: 'remove', path: key }]),
          ),
      ],
      [
        'by kubectl edit, with the new count kept',
        'deployments',
        4,
        (name) =>
          here.cluster.kubectl.attempt(['edit', 'deployment', name, '-n', here.namespace], '', {
            KUBE_EDITOR: "sed -i 's/^  replicas: 0$/  replicas: 4/'",
          }),
      ],
      ...[[], ['--server-side', '--force-conflicts']].map((args): Case => [
        `by kubectl apply ${args.join(' ')} to fewer, with what the manifest says kept`,
        'deployments',
        2,
        (name) => here.withFile('apply', manifest('deployments', name, { replicas: 2 }), ...args),
      ]),
    ]
    // The sandbox has no server-side apply.
    const acts = ACTS.filter(([how]) => on.isReal || !how.includes('--server-side'))
    for (const [index, [how, kind, kept, act]] of acts.entries())
      it(how, async () => {
        const name = `synced-${index}`
        const workload = await sleeper(name, kind)
        await act(name)
        const { replicas, label } = await eventually('it to sleep again', async () => {
          const marks = marksOf(await here.get(kind, name))
          return marks.replicas === 0 && marks.state?.history[0]?.trigger === 'recovery' && marks
        })
        expect([replicas, label]).to.deep.equal([0, String(kept)])
        const [newest] = (await agree(here, kind, name)).operation_history
        expect(newest).to.include({ trigger: 'recovery', by: null })
        expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(kept)
      })
  })

  it('kubectl rollout restart leaves a workload asleep, with its count', async () => {
    const workload = await sleeper('restarted')
    await here.kubectl('rollout', 'restart', 'deployment/restarted')
    await here.settled('deployments', 'restarted')
    expect(await agree(here, 'deployments', 'restarted')).to.include({
      is_snoozed: true,
      last_replicas: REPLICAS,
    })
    expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
  })

  it('scaling of what is awake is left alone, and the next snooze keeps the new count', async () => {
    const workload = await enabled('autoscaled')
    await scale('autoscaled', 5)
    await here.settled('deployments', 'autoscaled')
    const record = await agree(here, 'deployments', 'autoscaled')
    expect(record).to.include({ current_replicas: 5, is_snoozed: false })
    expect(record.operation_history).to.deep.equal([])
    expect(await workload.snooze('?wait=60s')).to.include({ is_snoozed: true, last_replicas: 5 })
  })

  it('what a person scaled to 0 stays at 0 by schedule, and is woken to 1 by request', async () => {
    const workload = await enabled('emptied')
    await scale('emptied', 0)
    await here.settled('deployments', 'emptied')
    for (const [schedule, asleep] of [
      [asleepNow(), true],
      [awakeNow(), false],
    ] as const) {
      await workload.schedule({ schedule })
      expect(await agree(here, 'deployments', 'emptied')).to.include({
        is_snoozed: asleep,
        current_replicas: 0,
      })
    }
    expect(await workload.wake('?wait=60s')).to.include({ current_replicas: 1, ready_replicas: 1 })
  })

  it('a pin undoes kubectl scale: of a sleeper, and of what is awake to 0 or to another count', async () => {
    const asleep = await sleeper('pinned')
    await asleep.pin()
    await scale('pinned', 2)
    await eventually('the pin to be enforced', async () => {
      return (await asleep.status()).operation_history[0]?.trigger === 'pin'
    })
    expect(await agree(here, 'deployments', 'pinned')).to.include({
      is_snoozed: true,
      pin_state: 'snoozed',
      last_replicas: REPLICAS,
    })
    const awake = await enabled('held')
    await awake.pin()
    for (const count of [REPLICAS + 1, 0]) {
      await scale('held', count)
      await eventually('the pin to be enforced', async () => {
        return marksOf(await here.get('deployments', 'held')).replicas === REPLICAS
      })
      const [newest] = (await agree(here, 'deployments', 'held')).operation_history
      expect(newest).to.include({ type: 'wake', trigger: 'pin' })
    }
  })

  it('many status updates during snoozes and wakes cause no conflict and lose nothing', async () => {
    const workload = await enabled('stormy')
    const path = `${here.path('deployments', 'stormy')}/status`
    const calm = new AbortController()
    let updates = 0
    const rage = async (_: unknown, writer: number) => {
      while (!calm.signal.aborted) {
        updates += 1
        const conditions = [{ type: `Storm${writer}`, status: 'True', reason: `Update${updates}` }]
        const headers = { 'content-type': 'application/strategic-merge-patch+json' }
        await here.cluster.admin.expect('PATCH', path, { status: { conditions } }, headers)
      }
    }
    const storm = Promise.all(Array.from({ length: 4 }, rage))
    try {
      for (let round = 0; round < 2; round += 1) {
        expect(await workload.snooze()).to.include({ is_snoozed: true, last_replicas: REPLICAS })
        expect(await workload.wake()).to.include({ is_snoozed: false, current_replicas: REPLICAS })
      }
    } finally {
      calm.abort()
      await storm
    }
    expect(updates).to.be.greaterThan(10)
    await here.settled('deployments', 'stormy')
    const { operation_history: history } = await agree(here, 'deployments', 'stormy')
    expect(history.map(({ type }) => type)).to.deep.equal(['wake', 'snooze', 'wake', 'snooze'])
  })
})
