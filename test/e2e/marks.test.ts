import { expect } from 'chai'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { countOf, manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'
import { revisionsOf, rollOutSecond } from './revisions.ts'

const REPLICAS = 3

describeOn('marks on workloads', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  /** Asleep by request, with a schedule by which it would be awake. */
  const sleeper = (kind: Kind, name: string) =>
    here.asleep(kind, name, { replicas: REPLICAS, schedule: awakeNow() })

  describe('kubectl rollout undo of a sleeper', () => {
    /** With two revisions, the older one with marks from when it was awake and with another schedule. */
    async function withTwoRevisions(name: string) {
      const workload = await here.asleep('deployments', name, { replicas: REPLICAS, schedule: '0:00-24:00' })
      await workload.wake('?wait=60s')
      await rollOutSecond(here, name)
      await here.settled('deployments', name)
      await workload.schedule({ schedule: awakeNow() })
      return workload
    }

    it('brings back an old state and schedule; Dormouse restores the last ones that it knows', async () => {
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

    it('loses no count while Dormouse is down: the label has it', async () => {
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

  for (const kind of ['deployments', 'daemonsets', 'cronjobs'] as const) {
    it(`kubectl replace of a sleeper among ${kind} drops every mark: they are restored, and it is snoozed again`, async () => {
      const name = `replaced-${kind}`
      const workload = await sleeper(kind, name)
      const { wake_schedule } = await workload.status()
      // Between its read and its write somebody may write the status.
      await eventually('a replace without a conflict', async () => {
        return (await here.withFile('replace', manifest(kind, name, { replicas: 4 }))).code === 0
      })
      await eventually('it to sleep again', async () => {
        const { label, replicas, enabled, schedule } = marksOf(await here.get(kind, name))
        return replicas === 0 && label !== undefined && enabled === 'true' && schedule !== undefined
      })
      const kept = kind === 'daemonsets' ? REPLICAS : countOf(kind, 4)
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
        const revisions = await revisionsOf(here, 'owner')
        return revisions.find(({ metadata }) => metadata.annotations?.[ANNOTATION.enabled] === 'true')
          ?.metadata.name
      })
    })

    it('are neither listed nor written to', async () => {
      const { body } = await here.api.call<{ name: string }[]>(
        'GET',
        `/namespaces/${here.namespace}/replicasets?limit=500`,
      )
      expect(body.data.map(({ name }) => name)).not.to.include(owned)
      await here.workload('deployments', 'owner').wake('?wait=60s')
      await here.workload('deployments', 'owner').snooze('?wait=60s')
      const writes = (await here.cluster.requestsSince(began)).filter(({ verb }) => verb === 'write')
      expect(writes.some(({ url }) => url.includes('/deployments/owner'))).to.equal(true)
      expect(writes.filter(({ url }) => url.includes(`/replicasets/${owned}`))).to.deep.equal([])
    })
  })

  describe('an unreadable state', () => {
    const broken = 'broken'
    const garbage = ['garbage', '{"v":99}']

    before(async () => {
      await sleeper('deployments', broken)
    })

    for (const text of garbage) {
      it(`stops only that workload, with a reason, and enable repairs it: ${text.slice(0, 24)}`, async () => {
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

    it('is reported by a Warning Event', async () => {
      await here.kubectl('annotate', 'deployment', broken, '--overwrite', `${ANNOTATION.state}=garbage`)
      await eventually('the Event', async () =>
        (await here.events(broken)).some(
          ({ type, reason }) => type === 'Warning' && reason === 'InvalidState',
        ),
      )
    })
  })

  it('kubectl delete ends a sleeper; a new workload of its name starts without its history', async () => {
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
})
