import { expect } from 'chai'
import { factsOf } from '../../src/domain/kinds.ts'
import { FIELD_MANAGER, SNOOZE_KEY, TYPE_OF } from '../../src/domain/workload/workload.ts'
import type { ApiAnswer, WorkloadClient } from '../support/api-client.ts'
import { describeOnBothAndBuilt } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { countOf } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { agree, marksOf } from './agreement.ts'

const HOUR = 3_600_000
/** One of each form of sleeping; requests about all kinds are in test/domain/requests. */
const FORMS = ['deployments', 'daemonsets', 'cronjobs'] as const

describeOnBothAndBuilt('operations', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 10 } })

  for (const kind of FORMS) {
    describe(kind, () => {
      const name = `shop-${TYPE_OF[kind]}`
      const REPLICAS = countOf(kind, 3)
      const selector = kind === 'daemonsets' ? { nodeSelector: { 'kubernetes.io/os': 'linux' } } : {}
      const history = async () => (await shop.status()).operation_history
      let shop: WorkloadClient

      before(async () => {
        shop = await here.create(kind, name, { replicas: REPLICAS, ...selector })
      })

      it('GET shows an unmanaged workload; writes are refused, except those that change nothing', async () => {
        const { metadata } = await here.get(kind, name)
        const record = await agree(here, kind, name)
        expect(record).to.include({ enabled: false, is_snoozed: false, next_transition: null })
        expect(record).to.include({
          current_replicas: REPLICAS,
          ready_replicas: REPLICAS,
          namespace: here.namespace,
        })
        for (const [method, action] of [
          ['POST', 'snooze'],
          ['POST', 'wake'],
          ['POST', 'pin'],
          ['POST', 'override'],
          ['PUT', 'schedule'],
        ] as const) {
          const { status, body } = await shop.attempt(method, action)
          expect([action, status, body.error.code]).to.deep.equal([action, 409, 'NOT_ENABLED'])
        }
        for (const held of [shop.disable(), shop.unpin(), shop.clearOverride()])
          expect((await held).enabled).to.equal(false)
        expect((await here.get(kind, name)).metadata.annotations).to.deep.equal(metadata.annotations)
      })

      it('POST enable manages it by a schedule, and returns its canonical form', async () => {
        const schedule = awakeNow()
        const record = await shop.enable({ schedule: ` ${schedule} `, timezone: 'UTC' })
        expect(record).to.include({
          enabled: true,
          is_snoozed: false,
          wake_schedule: schedule,
          timezone: 'UTC',
        })
        expect(record.next_transition).to.include({ type: 'snooze' })
        expect((await agree(here, kind, name)).operation_history).to.deep.equal([])
        expect((await shop.enable()).reason).to.equal(record.reason)
      })

      it('POST snooze puts it to sleep, and with wait answers when the pods are gone', async () => {
        const record = await shop.snooze('?wait=60s')
        expect(record).to.include({ is_snoozed: true, snooze_requested: true, current_replicas: 0 })
        expect(record).to.include({
          last_replicas: REPLICAS,
          ready_replicas: 0,
          operation_in_progress: false,
        })
        const after = await agree(here, kind, name)
        expect(after.operation_history[0]).to.include({ type: 'snooze', trigger: 'api', by: 'local:tester' })
        expect(await pods(name)).to.equal(0)
      })

      it('POST snooze of a sleeper succeeds and changes nothing', async () => {
        await succeeded(shop)
        const { metadata } = await here.get(kind, name)
        expect((await shop.snooze()).is_snoozed).to.equal(true)
        expect((await here.get(kind, name)).metadata.annotations).to.deep.equal(metadata.annotations)
      })

      it('POST wake brings every pod back, and gives up the ownership of replicas', async () => {
        const record = await shop.wake('?wait=60s')
        expect(record).to.include({ is_snoozed: false, wake_requested: true, current_replicas: REPLICAS })
        expect(record).to.include({ ready_replicas: REPLICAS, operation_in_progress: false })
        const { duration, result } = await succeeded(shop)
        expect(result).to.equal('succeeded')
        expect(duration).to.be.at.least(kind === 'cronjobs' ? 0 : 1)
        await agree(here, kind, name)
        const field = `f:${factsOf(kind).field.split('/').at(-1)}`
        const { spec } = await eventually(`the ownership of ${field} to be given up`, async () => {
          const object = await here.get(kind, name)
          const ours = object.metadata.managedFields?.filter(({ manager }) => manager === FIELD_MANAGER) ?? []
          const owned = ours.flatMap(({ fieldsV1 }) => Object.keys(fieldsV1?.['f:spec'] ?? {}))
          return !owned.includes(field) && object
        })
        expect(spec.template?.spec.nodeSelector ?? {}).not.to.have.property(SNOOZE_KEY)
        if (kind === 'daemonsets')
          expect(spec.template?.spec.nodeSelector).to.deep.equal(selector.nodeSelector)
      })

      it('POST wake of what is awake changes nothing, but ?for= keeps it awake', async () => {
        const before = await shop.status()
        const idle = await shop.attempt('POST', 'wake')
        expect(idle.body.message)
          .to.match(/awake/)
          .and.match(/a duration/)
        expect((await shop.status()).next_transition).to.deep.equal(before.next_transition)
        const held = await shop.wake('?for=24h')
        expect(held.wake_requested).to.equal(true)
        expect(held.operation_history).to.have.length(before.operation_history.length)
        expect((await agree(here, kind, name)).reason).to.match(/^awake by request of .*; sleeps /)
      })

      it('POST snooze?for= says when it wakes, and plan lists it', async () => {
        const before = Date.now()
        const record = await shop.snooze('?for=1h&wait=60s')
        expect(record.next_transition).to.include({ type: 'wake' })
        expect(Date.parse(record.next_transition?.at ?? '')).to.be.within(before + HOUR, Date.now() + HOUR)
        const [first, second] = await shop.plan('?hours=48')
        expect(first).to.deep.equal(record.next_transition)
        expect(second?.type).to.equal('snooze')
        await shop.wake('?wait=60s')
        await agree(here, kind, name)
      })

      it('PUT of a schedule takes effect at once', async () => {
        expect(await shop.schedule({ schedule: asleepNow() })).to.include({
          is_snoozed: true,
          snooze_requested: false,
        })
        expect((await agree(here, kind, name)).operation_history[0]).to.include({
          trigger: 'schedule',
          by: null,
        })
        expect((await shop.schedule({ schedule: awakeNow() })).is_snoozed).to.equal(false)
        await here.settled(kind, name)
        expect((await agree(here, kind, name)).current_replicas).to.equal(REPLICAS)
      })

      it('POST pin makes it refuse requests, DELETE pin ends that', async () => {
        expect((await shop.pin()).pin_state).to.equal('active')
        const refused = await shop.attempt('POST', 'snooze')
        expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'PINNED'])
        expect(refused.body.error.message)
          .to.match(/local:tester/)
          .and.match(/DELETE/)
        await shop.schedule({ schedule: asleepNow() })
        expect(await agree(here, kind, name)).to.include({ is_snoozed: false, pin_state: 'active' })
        expect(await shop.unpin()).to.include({ pin_state: 'none', is_snoozed: true })
        expect((await shop.pin()).pin_state).to.equal('snoozed')
        await agree(here, kind, name)
        await shop.unpin()
      })

      it('POST override stops automatic operations, for a time or until DELETE', async () => {
        const before = Date.now()
        const until = Date.parse((await shop.override('2h')).manual_override_until ?? '')
        expect(until).to.be.within(before + 2 * HOUR, Date.now() + 2 * HOUR)
        expect((await shop.wake()).is_snoozed).to.equal(false)
        await agree(here, kind, name)
        expect(await shop.override()).to.include({ has_manual_override: true, manual_override_until: null })
        expect((await agree(here, kind, name)).next_transition).to.equal(null)
        await shop.schedule({ schedule: awakeNow() })
        expect(await shop.clearOverride()).to.include({ has_manual_override: false, is_snoozed: false })
        await agree(here, kind, name)
      })

      it('dryRun answers what each write would do, and writes nothing', async () => {
        await here.settled(kind, name)
        await eventually("the controller to write the wake's end", async () => {
          const { state } = marksOf(await here.get(kind, name))
          return state?.history[0]?.result === 'succeeded'
        })
        const { metadata } = await here.get(kind, name)
        expect(await shop.snooze('?dryRun=true')).to.include({
          is_snoozed: true,
          current_replicas: 0,
          last_replicas: REPLICAS,
        })
        expect(await shop.disable('?dryRun=true')).to.include({ enabled: false })
        expect(await shop.schedule({ schedule: asleepNow() }, '?dryRun=true')).to.include({
          is_snoozed: true,
        })
        for (const action of ['pin', 'override', 'wake', 'enable'])
          expect((await shop.attempt('POST', `${action}?dryRun=true`)).status, action).to.equal(200)
        const { annotations, labels, generation } = (await here.get(kind, name)).metadata
        expect({ annotations, labels, generation }).to.deep.equal({
          annotations: metadata.annotations,
          labels: metadata.labels,
          generation: metadata.generation,
        })
      })

      it('POST disable wakes it, pinned or not, and keeps schedule and history', async () => {
        const { wake_schedule: schedule } = await shop.snooze('?force=true')
        await shop.pin()
        await shop.override('1h')
        const record = await shop.disable('?wait=60s')
        expect(record).to.include({
          enabled: false,
          is_snoozed: false,
          current_replicas: REPLICAS,
          ready_replicas: REPLICAS,
        })
        expect(record).to.include({ pin_state: 'none', has_manual_override: false, in_backoff_period: false })
        expect(record.wake_schedule).to.equal(schedule)
        await agree(here, kind, name)
        expect((await history())[0]).to.include({ type: 'wake', trigger: 'disable', replicas: REPLICAS })
        expect(marksOf(await here.get(kind, name))).to.include({ enabled: 'false', label: undefined })
      })
    })
  }

  describe('reading', () => {
    it('lists by namespace, kind, state and label, page by page', async () => {
      const listed = await here.api.call<{ name: string }[]>('GET', `/workloads?namespace=${here.namespace}`)
      const names = listed.body.data.map(({ name }) => name)
      expect(names).to.have.members(FORMS.map((kind) => `shop-${TYPE_OF[kind]}`))
      const paged: string[] = []
      for (let token: string | null = ''; token !== null;) {
        const query: string = `?namespace=${here.namespace}&limit=2${token && `&continue=${token}`}`
        const page: ApiAnswer<{ name: string }[]> = await here.api.call('GET', `/workloads${query}`)
        paged.push(...page.body.data.map(({ name }) => name))
        token = page.body.continue ?? null
      }
      expect(paged).to.deep.equal(names)
      await here.cluster.admin.expect('PATCH', here.path('deployments', 'shop-deployment'), {
        metadata: { labels: { tier: 'web' } },
      })
      await eventually('the label to be seen', async () => {
        const path = `/workloads?namespace=${here.namespace}&labelSelector=tier%3Dweb,tier!%3Ddb`
        const { body } = await here.api.call<{ name: string }[]>('GET', path)
        return body.data.length === 1 && body.data[0]?.name === 'shop-deployment'
      })
    })
  })

  async function pods(app: string): Promise<number> {
    const pods = `/api/v1/namespaces/${here.namespace}/pods?labelSelector=app%3D${app}`
    return (await here.cluster.admin.expect('GET', pods)).items?.length ?? 0
  }

  /** The newest operation, once it has succeeded. */
  function succeeded(workload: WorkloadClient) {
    return eventually('the operation to be completed', async () => {
      const [newest] = (await workload.status()).operation_history
      return newest?.result === 'succeeded' && newest
    })
  }
})
