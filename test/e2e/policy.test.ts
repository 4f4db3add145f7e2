import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOnBoth } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { MINUTE, SECOND } from '../support/rules.ts'
import { asleepNow, awakeNow, comingMinute, sleepsAt } from '../support/schedules.ts'
import { createNamespace, eventsOf, served } from '../support/served.ts'

const { enabled: ENABLED, schedule: SCHEDULE, timezone: TIMEZONE } = ANNOTATION
const KIND: Kind = 'deployments'
/** Under one mistyped Namespace, or one that changes. */
const MANY = 12

describeOnBoth('settings of a Namespace', function (on) {
  this.timeout(120_000)
  const team = `team-${randomBytes(3).toString('hex')}`
  const clock = new ProgramClock()
  const here = served(
    on,
    {
      newWorkloadGrace: '0s',
      backoff: { maxOperations: 19 },
      policies: [
        {
          name: 'dev',
          namespaces: { names: [`${team}-*`], selector: 'env=dev' },
          workloads: { selector: 'tier!=infra' },
          enabled: true,
          schedule: asleepNow(),
          timezone: 'UTC',
        },
      ],
    },
    clock.preload,
  )
  after(() => clock.remove())
  const made: string[] = []

  /** A new Namespace with one Deployment for each name. */
  async function space(
    {
      labels = {},
      annotations = {},
    }: { labels?: Record<string, string>; annotations?: Record<string, string> },
    names: readonly string[],
    prefix = 'plain',
  ): Promise<string> {
    const name = `${prefix}-${randomBytes(3).toString('hex')}`
    await createNamespace(on(), name)
    made.push(name)
    await on().admin.expect('PATCH', `/api/v1/namespaces/${name}`, { metadata: { labels, annotations } })
    await on().create(
      name,
      names.map((each) => manifest(KIND, each, { replicas: 2, paused: names.length === MANY })),
    )
    return name
  }

  const annotate = (name: string, annotations: Record<string, string | null>) =>
    on().admin.expect('PATCH', `/api/v1/namespaces/${name}`, { metadata: { annotations } })
  const workload = (namespace: string, name = 'web') => here.api.workload(KIND, namespace, name)
  const becomes = (namespace: string, state: 'awake' | 'asleep', name = 'web') =>
    eventually(`${namespace}/${name} to be ${state}`, async () => {
      const record = await workload(namespace, name).status()
      return record.is_snoozed === (state === 'asleep') && record
    })
  const writtenIn = async (namespace: string, since: number) =>
    (await here.cluster.requestsSince(since))
      .filter(({ verb, url }) => verb === 'write' && url.includes(`/namespaces/${namespace}/${KIND}/`))
      .map(({ url, at }) => ({ path: new URL(url, 'http://localhost').pathname, at }))
  const writesTo = async (namespace: string, since: number) => (await writtenIn(namespace, since)).length

  after(async () => {
    for (const name of made) await on().admin.send('DELETE', `/api/v1/namespaces/${name}`)
  })

  it('enrol its workloads without a write, and put them to sleep at the edge', async () => {
    const since = Date.now()
    const edge = comingMinute(20 * MINUTE)
    const namespace = await space({ annotations: { [ENABLED]: 'true', [SCHEDULE]: sleepsAt(edge) } }, [
      'web',
      'api',
    ])
    const { enabled, policy, reason } = await eventually('it to be managed', async () => {
      const record = await workload(namespace).status()
      return record.enabled && record
    })
    expect(enabled).to.equal(true)
    expect(policy.schedule).to.deep.equal({ value: sleepsAt(edge), source: `namespace/${namespace}` })
    expect(reason).to.contain(`of namespace ${namespace} until`)
    const { metadata } = (await on().admin.expect(
      'GET',
      here.path(KIND, 'web').replace(here.namespace, namespace),
    )) as {
      metadata: { annotations?: Record<string, string> }
    }
    expect(
      Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith('dormouse.dev/')),
    ).to.deep.equal([])
    clock.moveTo(edge - SECOND - Date.now())
    for (const name of ['web', 'api'])
      expect((await becomes(namespace, 'asleep', name)).last_replicas, name).to.equal(2)
    const early = (await writtenIn(namespace, since)).filter(({ at }) => at + clock.offset < edge)
    expect(early).to.deep.equal([])
  })

  it('that are mistyped stop what is automatic, say so in every record and once on the Namespace', async () => {
    const names = Array.from({ length: MANY }, (_, index) => `web-${index}`)
    const namespace = await space({ annotations: { [ENABLED]: 'true', [SCHEDULE]: awakeNow() } }, names)
    await eventually(
      'all to be managed',
      async () => (await workload(namespace, `web-${MANY - 1}`).status()).enabled,
    )
    const since = Date.now()
    await annotate(namespace, { [SCHEDULE]: '8-18' })
    const record = await eventually('the fault to be told', async () => {
      const each = await workload(namespace, 'web-0').status()
      return each.reason.includes(`${SCHEDULE} of namespace ${namespace}`) && each
    })
    expect(record).to.include({ enabled: true, wake_schedule: null, next_transition: null })
    const [event] = await eventually('an Event on the Namespace', async () => {
      const found = await eventsOf(on(), 'default', namespace)
      return found.length > 0 && found
    })
    expect(event).to.include({ type: 'Warning', reason: 'InvalidSetting' })
    expect(event?.message).to.contain(SCHEDULE)
    expect(await writesTo(namespace, since)).to.equal(0)
    await annotate(namespace, { [SCHEDULE]: asleepNow() })
    for (const name of names) await becomes(namespace, 'asleep', name)
    await annotate(namespace, { [ENABLED]: 'ture' })
    await eventually('nothing to be done', async () => {
      const { enabled, reason, current_replicas } = await workload(namespace, 'web-1').status()
      return !enabled && current_replicas === 0 && reason.includes(`of namespace ${namespace} is neither`)
    })
  })

  it('that change write to those alone that move', async () => {
    const names = Array.from({ length: MANY }, (_, index) => `web-${index}`)
    const namespace = await space({ annotations: { [ENABLED]: 'true', [SCHEDULE]: awakeNow() } }, names)
    for (const name of names.slice(0, 3)) await workload(namespace, name).disable()
    const since = Date.now()
    await annotate(namespace, { [TIMEZONE]: 'UTC' })
    await eventually('the zone to be known', async () => {
      const { policy } = await workload(namespace, 'web-5').status()
      return policy.timezone.source === `namespace/${namespace}`
    })
    expect(await writesTo(namespace, since)).to.equal(0)
    await annotate(namespace, { [SCHEDULE]: asleepNow() })
    for (const name of names.slice(3)) await becomes(namespace, 'asleep', name)
    const written = await writtenIn(namespace, since)
    expect(new Set(written.map(({ path }) => path)).size).to.equal(MANY - 3)
    expect(written.length, 'a snooze and at most one completion each').to.be.at.most(2 * (MANY - 3))
  })

  it('come of a policy that matches its labels, also once they change', async () => {
    const labels = { env: 'prod' }
    const namespace = await space({ labels }, ['web'], team)
    const infra = manifest(KIND, 'infra', { replicas: 2, labels: { tier: 'infra' } })
    await on().create(namespace, [infra])
    await eventually('it to be known', async () => !(await workload(namespace).status()).enabled)
    await on().admin.expect('PATCH', `/api/v1/namespaces/${namespace}`, {
      metadata: { labels: { env: 'dev' } },
    })
    const { policy, reason } = await becomes(namespace, 'asleep')
    expect(policy.enabled).to.deep.equal({ value: true, source: 'policy/dev' })
    expect(reason).to.contain('of policy dev until')
    expect(await workload(namespace, 'infra').status()).to.include({ enabled: false, current_replicas: 2 })
    await on().admin.expect('PATCH', `/api/v1/namespaces/${namespace}`, { metadata: { labels } })
    await becomes(namespace, 'awake')
  })

  it('end with a Namespace, and one that is created again has its own', async () => {
    const namespace = await space({ annotations: { [ENABLED]: 'true', [SCHEDULE]: asleepNow() } }, ['web'])
    await becomes(namespace, 'asleep')
    await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
    await eventually(
      'it to be gone',
      async () => (await on().admin.send('GET', `/api/v1/namespaces/${namespace}`)).status === 404,
      { timeout: 90_000 },
    )
    await createNamespace(on(), namespace)
    await on().create(namespace, [manifest(KIND, 'web', { replicas: 2 })])
    const record = await eventually('it to be known', async () => {
      const { status } = await here.api.call('GET', `/namespaces/${namespace}/${KIND}/web`)
      return status === 200 && (await workload(namespace).status())
    })
    expect(record).to.include({ enabled: false, is_snoozed: false })
    expect(record.policy.enabled).to.deep.equal({ value: false, source: null })
    await annotate(namespace, { [ENABLED]: 'true', [SCHEDULE]: asleepNow() })
    await becomes(namespace, 'asleep')
  })
})
