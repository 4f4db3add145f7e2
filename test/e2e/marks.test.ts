import { expect } from 'chai'
import { ANNOTATION, ASLEEP_LABEL, KINDS, type Kind } from '../../src/domain/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'

const REPLICAS = 3

describeOn('marks on workloads', function (on) {
  this.timeout(60_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  /** A sleeper that keeps three replicas and has a schedule that has it awake. */
  async function sleeper(kind: Kind, name: string) {
    const workload = await here.create(kind, name, { replicas: REPLICAS })
    await workload.enable({ schedule: awakeNow() })
    await workload.snooze('?wait=60s')
    return workload
  }

  describe('kubectl rollout undo of a sleeper', () => {
    /** Two revisions, the older of which carries the marks from when it was awake, and other hours. */
    async function withTwoRevisions(name: string) {
      const workload = await here.create('deployments', name, { replicas: REPLICAS })
      await workload.enable({ schedule: '0:00-24:00' })
      await workload.snooze('?wait=60s')
      await workload.wake('?wait=60s')
      await eventually('the marks to be copied to the first revision', async () =>
        (await revisions(name)).every(
          ({ metadata }) => metadata.annotations?.[ANNOTATION.state] !== undefined,
        ),
      )
      const second = { spec: { template: { metadata: { labels: { revision: '2' } } } } }
      await here.kubectl('patch', 'deployment', name, '-p', JSON.stringify(second))
      await eventually('a second revision', async () => (await revisions(name)).length === 2)
      await here.settled('deployments', name)
      await workload.schedule({ schedule: awakeNow() })
      return workload
    }

    async function revisions(name: string) {
      const { items } = await here.cluster.kubectl.json<{ items: KubectlObject[] }>(
        'get',
        'replicasets',
        '-n',
        here.namespace,
        '-l',
        `app=${name}`,
      )
      return items
    }

    it('puts an old state and old hours back, which Dormouse puts right from memory', async () => {
      const workload = await withTwoRevisions('undone')
      const asleep = await workload.snooze('?wait=60s')
      const before = marksOf(await here.get('deployments', 'undone'))
      await here.kubectl('rollout', 'undo', 'deployment/undone')
      await eventually('the marks to be restored', async () => {
        const { state, schedule } = marksOf(await here.get('deployments', 'undone'))
        return schedule === before.schedule && (state?.counter ?? 0) >= (before.state?.counter ?? 1)
      })
      const record = await agree(here, 'deployments', 'undone')
      expect(record).to.include({
        is_snoozed: true,
        last_replicas: REPLICAS,
        wake_schedule: asleep.wake_schedule,
      })
      expect(record.snoozed_at).to.equal(asleep.snoozed_at)
      const { spec } = (await here.get('deployments', 'undone')) as {
        spec: { template: { metadata?: unknown } }
      }
      expect(spec.template.metadata, 'the undo itself is left alone').to.deep.include({
        labels: { app: 'undone', revision: '1' },
      })
      expect(await workload.wake('?wait=60s')).to.include({
        current_replicas: REPLICAS,
        ready_replicas: REPLICAS,
      })
    })

    it('loses no count when Dormouse was away: the label has it', async () => {
      const workload = await withTwoRevisions('undone-alone')
      await workload.snooze('?wait=60s')
      await here.dormouse.kill()
      await here.kubectl('rollout', 'undo', 'deployment/undone-alone')
      await here.dormouse.start()
      const again = here.workload('deployments', 'undone-alone')
      expect(await again.status()).to.include({ last_replicas: REPLICAS })
      await again.wake('?wait=60s')
      expect(await agree(here, 'deployments', 'undone-alone')).to.include({
        is_snoozed: false,
        current_replicas: REPLICAS,
      })
    })
  })

  for (const kind of KINDS) {
    it(`kubectl replace of a sleeper among ${kind} drops every mark: they come back, and it sleeps again`, async () => {
      const name = `replaced-${kind}`
      const workload = await sleeper(kind, name)
      const { wake_schedule } = await workload.status()
      const { code, stderr } = await here.cluster.kubectl.withFile(
        'replace',
        manifest(kind, name, { replicas: 4 }),
        '-n',
        here.namespace,
      )
      expect(code, stderr).to.equal(0)
      await eventually('it to sleep again', async () => {
        const { label, replicas, enabled, schedule } = marksOf(await here.get(kind, name))
        return replicas === 0 && label !== undefined && enabled === 'true' && schedule !== undefined
      })
      const kept = kind === 'daemonsets' ? REPLICAS : 4
      const record = await agree(here, kind, name)
      expect(record).to.include({ is_snoozed: true, last_replicas: kept, wake_schedule })
      expect(record.operation_history[0]).to.include({ type: 'snooze', trigger: 'recovery', by: null })
      expect(await workload.wake('?wait=60s')).to.include({ current_replicas: kept, ready_replicas: kept })
    })
  }

  describe("a Deployment's own ReplicaSets", () => {
    let owned: string
    const began = Date.now()

    before(async () => {
      await sleeper('deployments', 'owner')
      owned = await eventually('the ReplicaSet to carry copied marks', async () => {
        const { items } = await here.cluster.kubectl.json<{ items: KubectlObject[] }>(
          'get',
          'replicasets',
          '-n',
          here.namespace,
          '-l',
          'app=owner',
        )
        return items.find(({ metadata }) => metadata.annotations?.[ANNOTATION.enabled] === 'true')?.metadata
          .name
      })
    })

    it('are refused with OWNED, which names the Deployment and its path', async () => {
      const replicaSet = here.workload('replicasets', owned)
      const asked = [
        replicaSet.attempt('GET', ''),
        replicaSet.attempt('GET', 'plan'),
        ...['enable', 'disable', 'snooze', 'wake', 'pin', 'override'].map((action) =>
          replicaSet.attempt('POST', action),
        ),
        replicaSet.attempt('PUT', 'schedule', { body: { schedule: '8:00-18:00' } }),
      ]
      for (const { status, body } of await Promise.all(asked)) {
        expect([status, body.error.code]).to.deep.equal([409, 'OWNED'])
        expect(body.error.message).to.include(`/api/v1/namespaces/${here.namespace}/deployments/owner`)
      }
    })

    it('are neither listed nor ever written to', async () => {
      const { body } = await here.api.call<{ name: string }[]>(
        'GET',
        `/namespaces/${here.namespace}/replicasets?limit=500`,
      )
      expect(body.data.map(({ name }) => name)).not.to.include(owned)
      await here.workload('deployments', 'owner').wake('?wait=60s')
      await here.workload('deployments', 'owner').snooze('?wait=60s')
      const writes = (await here.cluster.requestsSince(began)).filter(({ verb }) => verb === 'patch')
      expect(writes.some(({ url }) => url.includes('/deployments/owner'))).to.equal(true)
      expect(writes.filter(({ url }) => url.includes(`/replicasets/${owned}`))).to.deep.equal([])
    })
  })

  describe('a state that cannot be read', () => {
    const broken = 'broken'
    const garbage = [
      'garbage',
      '{"v":99}',
      '{"v":1}',
      '[]',
      '""',
      `{"v":1,"counter":1,"asleep":true,"history":[],"extra":"${'x'.repeat(9000)}"}`,
    ]

    before(async () => {
      await sleeper('deployments', broken)
    })

    for (const text of garbage) {
      it(`stops that workload only, says why, and enable repairs it: ${text.slice(0, 24)}`, async () => {
        await here.kubectl('annotate', 'deployment', broken, '--overwrite', `${ANNOTATION.state}=${text}`)
        const workload = here.workload('deployments', broken)
        const refused = await eventually('the state to be refused', async () => {
          const answer = await workload.attempt('GET', '')
          return answer.status === 422 && answer
        })
        expect(refused.body.error).to.include({ code: 'INVALID_STATE' })
        expect(refused.body.error.message).to.match(/enable/)
        const snooze = await workload.attempt('POST', 'snooze')
        expect([snooze.status, snooze.body.error.code]).to.deep.equal([422, 'INVALID_STATE'])
        const { body } = await here.api.call<{ name: string; last_replicas: number }[]>(
          'GET',
          `/workloads?namespace=${here.namespace}&state=invalid`,
        )
        expect(body.data.map(({ name, last_replicas: kept }) => [name, kept])).to.deep.equal([
          [broken, REPLICAS],
        ])
        expect((await here.get('deployments', broken)).metadata.annotations?.[ANNOTATION.state]).to.equal(
          text,
        )

        expect(await workload.enable()).to.include({ enabled: true, last_replicas: REPLICAS })
        expect((await workload.wake('?wait=60s&force=true')).current_replicas).to.equal(REPLICAS)
        await workload.snooze('?wait=60s&force=true')
        expect(await agree(here, 'deployments', broken)).to.include({
          is_snoozed: true,
          last_replicas: REPLICAS,
        })
      })
    }

    it('never keeps another workload from being acted on', async () => {
      await here.kubectl('annotate', 'deployment', broken, '--overwrite', `${ANNOTATION.state}=garbage`)
      const other = await sleeper('statefulsets', 'unharmed')
      expect(await other.wake('?wait=60s')).to.include({ current_replicas: REPLICAS })
    })

    it('is told by a Warning Event', async () => {
      await eventually('the Event', async () =>
        (await events(broken)).some(({ type, reason }) => type === 'Warning' && reason === 'InvalidState'),
      )
    })
  })

  it('a state that is removed by hand comes back', async () => {
    await sleeper('deployments', 'bared')
    const before = await here.get('deployments', 'bared')
    await here.kubectl('annotate', 'deployment', 'bared', `${ANNOTATION.state}-`)
    await eventually('the state to be back', async () => {
      const { metadata } = await here.get('deployments', 'bared')
      return metadata.annotations?.[ANNOTATION.state] === before.metadata.annotations?.[ANNOTATION.state]
    })
  })

  it('a label that is removed by hand comes back', async () => {
    await sleeper('deployments', 'unlabelled')
    await here.kubectl('label', 'deployment', 'unlabelled', `${ASLEEP_LABEL}-`)
    await eventually('the label to be back', async () => {
      return marksOf(await here.get('deployments', 'unlabelled')).label === String(REPLICAS)
    })
  })

  it('kubectl delete of a sleeper ends it, and a new one of its name starts anew', async () => {
    const workload = await sleeper('deployments', 'deleted')
    await here.kubectl('delete', 'deployment', 'deleted')
    const gone = await eventually('it to be gone', async () => {
      const answer = await workload.attempt('GET', '')
      return answer.status === 404 && answer
    })
    expect(gone.body.error.code).to.equal('NOT_FOUND')
    await here.create('deployments', 'deleted', { replicas: 2 })
    const record = await agree(here, 'deployments', 'deleted')
    expect(record).to.include({ enabled: false, is_snoozed: false, current_replicas: 2 })
    expect(record.operation_history).to.deep.equal([])
  })

  it('what was done stands in Kubernetes Events on the workload', async () => {
    const workload = await sleeper('deployments', 'eventful')
    await workload.wake('?wait=60s')
    await eventually('both Events', async () => {
      const reasons = (await events('eventful')).map(({ reason }) => reason)
      return reasons.includes('Snoozed') && reasons.includes('Woken')
    })
  })

  async function events(name: string): Promise<{ type: string; reason: string }[]> {
    const { items } = await here.cluster.kubectl.json<{ items: { type: string; reason: string }[] }>(
      'get',
      'events',
      '-n',
      here.namespace,
      '--field-selector',
      `involvedObject.name=${name}`,
    )
    return items
  }
})
