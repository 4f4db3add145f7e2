import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Answer, Dormouse, Found, Seen, Selection } from '../../src/client/ports.ts'
import type { NamespaceRecord } from '../../src/domain/records/namespace-record.ts'
import type { Request } from '../../src/domain/requests/operations.ts'
import type { WorkloadKey } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import { eventually } from '../support/eventually.ts'
import { failureOf } from '../support/failure-of.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import type { Served } from '../support/served.ts'

/** The duties of both adapters of the client's port; `open`: one that acts as a person with rights in the namespace. */
export function dormouseSuite(
  here: Served,
  open: () => Promise<Dormouse>,
  /** Whether that person has them in all namespaces. */
  everywhere = () => true,
): void {
  let dormouse: Dormouse

  before(async () => {
    dormouse = await open()
  })

  after(() => dormouse?.close())

  let made = 0
  /** A managed Deployment of 2 replicas with a name of its own. */
  async function workload(schedule?: string): Promise<WorkloadKey> {
    const name = `suite-${(made += 1)}-${randomBytes(3).toString('hex')}`
    await here.enabled('deployments', name, { replicas: 2, ...(schedule && { schedule }) })
    return { kind: 'deployments', namespace: here.namespace, name }
  }
  const ask = (key: WorkloadKey, request: Request, dryRun = false) => dormouse.request(key, request, dryRun)
  const recordAfter = async (answer: Promise<Answer>) => (await (await answer).after()).record
  const recordOf = async (key: WorkloadKey) => (await dormouse.get(key)).record

  const refused = (act: Promise<unknown>) => failureOf(act, Refusal)

  it('knows the person by the name that the history has of them', async () => {
    const { operation_history } = await recordAfter(ask(await workload(), { action: 'snooze' }))
    expect(operation_history[0]?.by).to.match(/^\w+:/)
    expect((await dormouse.whoami()).user).to.equal(operation_history[0]?.by?.replace(/^\w+:/, ''))
  })

  it('knows the kinds and the namespaces', async () => {
    expect(await dormouse.kinds()).to.include.members(['deployments', 'statefulsets', 'cronjobs'])
    if (everywhere()) expect(await dormouse.namespaces()).to.include(here.namespace)
    else expect((await refused(dormouse.namespaces())).code).to.equal('FORBIDDEN')
  })

  it('lists a namespace, sorted, and narrowed by kind and labels', async () => {
    const zoo = randomBytes(3).toString('hex')
    const labels = { zoo }
    for (const name of ['zebra', 'ape']) await here.create('deployments', `${name}-${zoo}`, { labels })
    await here.create('statefulsets', `bear-${zoo}`, { labels })
    const labelSelector = `zoo=${zoo}`
    const names = (found: readonly Found[]) => found.map(({ kind, record }) => `${kind}/${record.name}`)
    const all = await eventually('the list', async () => {
      const found = await dormouse.list({ namespace: here.namespace, labelSelector })
      return found.length === 3 && found
    })
    const [ape, bear, zebra] = [
      `deployments/ape-${zoo}`,
      `statefulsets/bear-${zoo}`,
      `deployments/zebra-${zoo}`,
    ]
    expect(names(all)).to.deep.equal([ape, bear, zebra])
    const some = await dormouse.list({ namespace: here.namespace, labelSelector, kind: 'statefulsets' })
    expect(names(some)).to.deep.equal([bear])
    const inAll = dormouse.list({ namespace: undefined, labelSelector })
    if (everywhere()) expect(names(await inAll)).to.deep.equal([ape, bear, zebra])
    else expect((await refused(inAll)).message).to.include('name one namespace that you may read by -n')
  })

  it('sums up a namespace as the API does, narrowed by labels', async () => {
    const name = `summed-${randomBytes(3).toString('hex')}`
    await here.asleep('deployments', name, { replicas: 2, labels: { only: name } })
    const selection = { namespace: here.namespace, labelSelector: `only=${name}` }
    const [record, ...others] = await eventually('the sleeper to count', async () => {
      const found = await dormouse.summaries(selection)
      return found[0]?.counts['deployments']?.snoozed === 1 && found
    })
    expect(others).to.deep.equal([])
    const path = `/namespaces/${here.namespace}?labelSelector=only%3D${name}`
    const { data } = (await here.api.call('GET', path)).body
    const { saved, policy: _, ...rest } = data as unknown as NamespaceRecord
    expect(record).to.deep.include(rest)
    expect(Object.keys(record?.saved ?? {})).to.deep.equal(Object.keys(saved))
  })

  it('shows one as the API does', async () => {
    const key = await workload(awakeNow())
    const record = await recordOf(key)
    const { data } = (await here.api.call('GET', `/namespaces/${key.namespace}/deployments/${key.name}`)).body
    expect(record).to.deep.equal(data)
  })

  it('refuses what there is not', async () => {
    const error = await refused(
      dormouse.get({ kind: 'deployments', namespace: here.namespace, name: 'none' }),
    )
    expect(error.code).to.equal('NOT_FOUND')
  })

  it('foretells the transitions', async () => {
    const key = await workload(awakeNow())
    const transitions = await dormouse.plan(key, 48)
    expect(transitions[0]).to.include({ type: 'snooze' })
    expect(transitions.length).to.be.above(1)
  })

  it('puts to sleep and wakes, and the answer says so and has the record', async () => {
    const key = await workload()
    const slept = await ask(key, { action: 'snooze' })
    expect(slept.messages[0]).to.match(/^snoozed, 2 replicas kept/)
    expect((await slept.after()).record).to.include({
      is_snoozed: true,
      current_replicas: 0,
      last_replicas: 2,
    })
    const woken = await ask(key, { action: 'wake', for: 4 * 3_600_000 })
    expect(woken.messages[0]).to.include('woken to 2 replicas')
    expect((await woken.after()).record).to.include({
      is_snoozed: false,
      current_replicas: 2,
      wake_requested: true,
    })
    const again = await ask(key, { action: 'snooze', for: 3_600_000, force: true })
    expect((await again.after()).record).to.include({ is_snoozed: true, snooze_requested: true })
  })

  it('a dry run says what would be, and changes nothing', async () => {
    const key = await workload()
    const { messages, after } = await ask(key, { action: 'snooze' }, true)
    expect(messages[0]).to.match(/^would be snoozed, 2 replicas kept/)
    expect((await after()).record).to.include({ is_snoozed: true })
    expect(await recordOf(key)).to.include({ is_snoozed: false })
  })

  it('pins and lets go; what is pinned is refused, with what clears it', async () => {
    const key = await workload()
    expect(await recordAfter(ask(key, { action: 'pin' }))).to.include({ pin_state: 'active' })
    const { message, details } = await refused(ask(key, { action: 'snooze' }))
    expect(message).to.match(/^pinned awake by \S+/)
    expect(details).to.deep.include({ reason_code: 'pinned', remedy: { action: 'unpin', query: {} } })
    expect(await recordAfter(ask(key, { action: 'unpin' }))).to.include({ pin_state: 'none' })
  })

  it('overrides for a time and for good, and resumes', async () => {
    const key = await workload()
    const timed = await ask(key, { action: 'override', duration: 3_600_000 })
    expect((await timed.after()).record).to.include({ has_manual_override: true })
    expect((await timed.after()).record.manual_override_until).to.be.a('string')
    const forGood = await ask(key, { action: 'override' })
    expect((await forGood.after()).record).to.include({
      has_manual_override: true,
      manual_override_until: null,
    })
    const resumed = await ask(key, { action: 'clearOverride' })
    expect((await resumed.after()).record).to.include({ has_manual_override: false })
  })

  it('enables with hours, changes them, removes them, and disables, which wakes', async () => {
    const name = `plain-${randomBytes(3).toString('hex')}`
    await here.create('deployments', name, { replicas: 2 })
    const key: WorkloadKey = { kind: 'deployments', namespace: here.namespace, name }
    const { details } = await refused(ask(key, { action: 'wake' }))
    expect(details).to.deep.include({ reason_code: 'not_managed', remedy: { action: 'enable', query: {} } })
    const schedule = asleepNow()
    await ask(key, { action: 'enable', schedule, timezone: 'UTC' })
    await eventually('it sleeps', async () => (await recordOf(key)).is_snoozed)
    expect(await recordOf(key)).to.include({ enabled: true, wake_schedule: schedule })
    await ask(key, { action: 'schedule', schedule: awakeNow() })
    await eventually('it is awake', async () => !(await recordOf(key)).is_snoozed)
    await ask(key, { action: 'schedule', schedule: '' })
    expect(await recordOf(key)).to.include({ wake_schedule: null })
    await ask(key, { action: 'snooze' })
    await ask(key, { action: 'disable' })
    await eventually('it runs and is left alone', async () => {
      const { enabled, current_replicas } = await recordOf(key)
      return !enabled && current_replicas === 2
    })
  })

  it('refuses a schedule that is none', async () => {
    const key = await workload()
    const { message } = await refused(ask(key, { action: 'schedule', schedule: '8-18' }))
    expect(message).to.include('8-18')
  })

  it('lists and watches what a controller owns while it is managed, and no longer', async () => {
    const name = `owned-${randomBytes(3).toString('hex')}`
    const { namespace } = here
    const { admin } = here.cluster
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
    const { metadata } = await admin.expect('POST', `/api/v1/namespaces/${namespace}/configmaps`, configMap)
    const { uid } = metadata as { uid?: string }
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }]
    await here.create('statefulsets', name)
    await admin.expect('PATCH', here.path('statefulsets', name), { metadata: { ownerReferences } })
    const selection = { namespace, kind: 'statefulsets' } as const
    const isListed = async () => (await dormouse.list(selection)).some(({ record }) => record.name === name)
    await eventually('it to be left out', async () => !(await isListed()))
    const stop = new AbortController()
    const seen: boolean[] = []
    const watching = (async () => {
      for await (const { record, gone } of dormouse.watch(selection, stop.signal))
        if (record.name === name) seen.push(gone)
    })()
    try {
      await here.workload('statefulsets', name).enable()
      await eventually('it to come', () => seen.includes(false))
      expect(await isListed()).to.equal(true)
      await here.workload('statefulsets', name).disable()
      await eventually('it to leave', () => seen.at(-1) === true)
      await eventually('it to be left out again', async () => !(await isListed()))
    } finally {
      stop.abort()
      await watching
    }
  })

  const watched = {
    'one workload': (key: WorkloadKey): Selection => key,
    'a list': ({ namespace, kind }: WorkloadKey): Selection => ({ namespace, kind }),
  }
  for (const [what, selectionOf] of Object.entries(watched))
    it(`watches ${what}: first what there is, then each change, then that it is gone`, async () => {
      const key = await workload()
      const stop = new AbortController()
      const seen: Seen[] = []
      const watching = (async () => {
        for await (const each of dormouse.watch(selectionOf(key), stop.signal))
          if (each.record.name === key.name) seen.push(each)
      })()
      try {
        await eventually('the first', () => seen.some(({ record }) => !record.is_snoozed))
        await here.workload('deployments', key.name).snooze()
        await eventually('the change', () => seen.some(({ record }) => record.is_snoozed))
        await here.cluster.admin.expect('DELETE', here.path('deployments', key.name))
        await eventually('the end', () => seen.some(({ gone }) => gone))
      } finally {
        stop.abort()
        await watching
      }
    })
}
