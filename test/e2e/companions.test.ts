import { expect } from 'chai'
import { releaseLease } from '../faults/crashes.ts'
import { killedAt } from '../faults/killed-at.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { checkedAgainst } from '../cli/checking.ts'
import type { On } from '../support/clusters.ts'
import { describeOnBoth } from '../support/clusters.ts'
import {
  defineKind,
  mayManage,
  mayNoLongerManage,
  undefineKind,
  type CustomKind,
} from '../support/custom-kinds.ts'
import { runDormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const GROUP = 'beside.example.com'
const CLUSTER: CustomKind = { group: GROUP, plural: 'clusters', kind: 'Cluster' }
/** Suspended while the wheel sleeps that it names. */
const BACKUP: CustomKind = { group: GROUP, plural: 'backups', kind: 'Backup' }
/** Holds back the sleep of the wheel that it names. */
const RIDE: CustomKind = { group: GROUP, plural: 'rides', kind: 'Ride' }
const WHEEL: CustomKind = { group: GROUP, plural: 'wheels', kind: 'Wheel', countPath: '.spec.replicas' }
const KINDS = [CLUSTER, BACKUP, RIDE, WHEEL]
const CLUSTERS = `clusters.${GROUP}`
const BACKUPS = `backups.${GROUP}`
/** Nobody has installed it. */
const NOBODIES = `nobodies.${GROUP}`
const WHEELS = `wheels.${GROUP}` as const
const PAUSED = 'example.com/paused'
const MARK = 'dormouse.dev/paused'
const SETTINGS = {
  newWorkloadGrace: '0s',
  backoff: { maxOperations: 19, window: '1s' },
  owners: [
    { resource: CLUSTERS, pause: { label: PAUSED, asleep: 'true' } },
    { resource: NOBODIES, pause: { path: '.spec.paused', asleep: true } },
  ],
  kinds: [
    {
      resource: WHEELS,
      notWhile: [
        {
          resource: `rides.${GROUP}`,
          selectedBy: '.spec.wheel.name',
          path: '.status.phase',
          in: ['running'],
        },
      ],
      along: [{ resource: BACKUPS, selectedBy: '.spec.wheel.name', path: '.spec.suspend', asleep: true }],
    },
  ],
}

/** Before and after the tests of a suite. */
function defined(on: On): void {
  before('their kinds are defined, and Dormouse may pause them', async () => {
    for (const kind of KINDS) await defineKind(on(), kind)
    if (on.isReal) await mayManage(on(), GROUP)
  })
  after('they are gone', async () => {
    if (on.isReal) await mayNoLongerManage(on(), GROUP)
    for (const kind of KINDS) await undefineKind(on(), kind)
  })
}

interface Stored {
  readonly metadata: {
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly spec: { readonly suspend?: boolean }
}

/** Those objects in a namespace. */
function objectsIn(on: On, namespace: () => string) {
  const path = (plural: string, name = '') =>
    `/apis/${GROUP}/v1/namespaces/${namespace()}/${plural}${name && `/${name}`}`
  const get = async (plural: string, name: string) =>
    (await on().admin.expect('GET', path(plural, name))) as unknown as Stored
  return {
    path,
    get,
    async create({ plural, kind }: CustomKind, name: string, spec: object, metadata: object = {}) {
      const object = { apiVersion: `${GROUP}/v1`, kind, metadata: { name, ...metadata }, spec }
      return on().admin.expect('POST', path(plural), object)
    },
    /** A StatefulSet that a Cluster of this name owns. */
    async owned(name: string, owner: string, replicas = 3) {
      const { metadata } = await on().admin.expect('GET', path('clusters', owner))
      const { uid } = metadata as { uid?: string }
      const object = manifest('statefulsets', name, { replicas }) as unknown as { metadata: object }
      const ownerReferences = [
        { apiVersion: `${GROUP}/v1`, kind: 'Cluster', name: owner, uid, controller: true },
      ]
      await on().create(namespace(), [
        { ...object, metadata: { ...object.metadata, ownerReferences } } as never,
      ])
    },
    /** Resolves once the Cluster is paused by us, or as it was. */
    paused: (name: string, paused: boolean) =>
      eventually(`${name} to be ${paused ? 'paused' : 'as it was'}`, async () => {
        const { labels, annotations } = (await get('clusters', name)).metadata
        return (labels?.[PAUSED] === 'true') === paused && (annotations?.[MARK] !== undefined) === paused
      }),
  }
}

/** An operator that scales each StatefulSet of a Cluster back to 3, unless the Cluster is paused. */
function anOperator(on: On, { get }: ReturnType<typeof objectsIn>, path: (name: string) => string) {
  let stopping = new AbortController()
  let running = Promise.resolve()
  /** How often it has scaled one back. */
  let times = 0
  const look = async (name: string) => {
    const { spec } = (await on().admin.expect('GET', path(name))) as unknown as { spec: { replicas: number } }
    const { metadata } = await get('clusters', name)
    if (stopping.signal.aborted || metadata.labels?.[PAUSED] === 'true' || spec.replicas === 3) return
    times += 1
    await on().admin.send('PATCH', `${path(name)}?fieldManager=cluster-operator`, { spec: { replicas: 3 } })
  }
  return {
    get times() {
      return times
    },
    start(name: string) {
      stopping = new AbortController()
      const run = async () => {
        while (!stopping.signal.aborted) await look(name)
      }
      running = run()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

describeOnBoth('what stands beside a workload', function (on) {
  this.timeout(240_000)
  defined(on)
  const here = throughFaults(on, SETTINGS)
  const objects = objectsIn(on, () => here.namespace)
  const path = (name: string) => here.path('statefulsets', name)

  it('is paused while any workload of an owner sleeps, and gets its former value back with the last wake', async () => {
    await objects.create(CLUSTER, 'pair', {}, { labels: { [PAUSED]: 'no' } })
    for (const name of ['left', 'right']) await objects.owned(name, 'pair')
    for (const name of ['left', 'right']) await here.workload('statefulsets', name).enable()
    await here.workload('statefulsets', 'left').snooze()
    await objects.paused('pair', true)
    await here.workload('statefulsets', 'right').snooze()
    await here.workload('statefulsets', 'left').wake()
    await here.settled('statefulsets', 'left')
    await objects.paused('pair', true)
    await here.workload('statefulsets', 'right').wake()
    await objects.paused('pair', false)
    expect((await objects.get('clusters', 'pair')).metadata.labels).to.include({ [PAUSED]: 'no' })
  })

  it('is left as others have paused it', async () => {
    await objects.create(CLUSTER, 'held', {}, { labels: { [PAUSED]: 'true' } })
    await objects.owned('held', 'held')
    const workload = here.workload('statefulsets', 'held')
    await workload.enable()
    await workload.snooze('?wait=60s')
    await workload.wake()
    await here.settled('statefulsets', 'held')
    const { labels, annotations = {} } = (await objects.get('clusters', 'held')).metadata
    expect(labels).to.include({ [PAUSED]: 'true' })
    expect(annotations).not.to.have.property(MARK)
  })

  it('is suspended along with the workload that a field of it names, and no other', async () => {
    await objects.create(WHEEL, 'front', { replicas: 2 })
    await objects.create(BACKUP, 'nightly', { wheel: { name: 'front' }, suspend: false })
    await objects.create(BACKUP, 'hourly', { wheel: { name: 'front' } })
    await objects.create(BACKUP, 'of-rear', { wheel: { name: 'rear' } })
    await eventually(
      'it to be known',
      async () => (await here.workload(WHEELS, 'front').attempt('GET', '')).status === 200,
    )
    await here.workload(WHEELS, 'front').enable()
    const suspends = async () => {
      const all = ['nightly', 'hourly', 'of-rear'].map((name) => objects.get('backups', name))
      return JSON.stringify((await Promise.all(all)).map(({ spec }) => spec.suspend ?? null))
    }
    await here.workload(WHEELS, 'front').snooze()
    await eventually('both to be suspended', async () => (await suspends()) === '[true,true,null]')
    await here.workload(WHEELS, 'front').wake()
    await eventually('their former values', async () => (await suspends()) === '[false,null,null]')
  })

  it('holds back the sleep of a workload while it is busy, by its schedule and on request', async () => {
    await objects.create(WHEEL, 'ridden', { replicas: 2 })
    const ride = { wheel: { name: 'ridden' } }
    const metadata = { name: 'long' }
    const object = {
      apiVersion: `${GROUP}/v1`,
      kind: 'Ride',
      metadata,
      spec: ride,
      status: { phase: 'running' },
    }
    await on().admin.expect('POST', objects.path('rides'), object)
    const workload = here.workload(WHEELS, 'ridden')
    await eventually('it to be known', async () => (await workload.attempt('GET', '')).status === 200)
    await workload.enable({ schedule: asleepNow() })
    const busy = 'Ride long of it is running'
    await eventually('the reason', async () =>
      (await workload.attempt('GET', '')).body.data.reason.includes(busy),
    )
    const { status, body } = await workload.attempt('POST', 'snooze')
    expect([status, body.message ?? body.error?.message].join()).to.match(/^409.*Ride long of it is running/)
    await on().admin.expect('PATCH', objects.path('rides', 'long'), { status: { phase: 'completed' } })
    await eventually('it to sleep', async () => (await workload.status()).is_snoozed)
  })

  it('that is an HPA has no higher minimum than its workload sleeps at, and gets it back with the wake', async () => {
    const path = `/apis/autoscaling/v2/namespaces/${here.namespace}/horizontalpodautoscalers`
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' }
    const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 5 }
    await on().admin.expect('POST', path, { metadata: { name: 'scaled' }, spec })
    const workload = await here.enabled('deployments', 'scaled', { replicas: 3 })
    await here.annotate('deployments', 'scaled', { 'dormouse.dev/asleep-replicas': '1' })
    const minimum = async () => {
      const { spec: found } = (await on().admin.expect('GET', `${path}/scaled`)) as {
        spec?: { minReplicas?: number }
      }
      return found?.minReplicas
    }
    await workload.snooze()
    await eventually('the minimum to be lowered', async () => (await minimum()) === 1)
    expect((await here.get('deployments', 'scaled')).spec.replicas).to.equal(1)
    await workload.wake()
    await eventually('the minimum to be back', async () => (await minimum()) === 2)
    if (on().isReal)
      await eventually('a server-side apply to be free to set it', async () => {
        const type = { 'content-type': 'application/apply-patch+yaml' }
        const object = {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          spec: { ...spec, minReplicas: 3 },
        }
        const { status } = await on().admin.send('PATCH', `${path}/scaled?fieldManager=ci`, object, type)
        return status === 200
      })
    await on().admin.expect('DELETE', `${path}/scaled`)
  })

  it('loses nothing where Dormouse is killed between its two writes, of sleeping and of waking', async () => {
    await objects.create(CLUSTER, 'killed', {})
    await objects.owned('killed', 'killed')
    const workload = here.workload('statefulsets', 'killed')
    await workload.enable()
    const operator = anOperator(on, objects, path)
    operator.start('killed')
    const between = async (action: 'snooze' | 'wake') => {
      const isWritten = async () => {
        const { metadata } = await here.get('statefulsets', 'killed')
        return (metadata.labels?.['dormouse.dev/asleep'] !== undefined) === (action === 'snooze')
      }
      const ask = () => here.workload('statefulsets', 'killed').attempt('POST', action)
      await killedAt(here, { resource: 'clusters', stage: 'before', name: 'killed' }, ask, isWritten)
      await releaseLease(on())
      await here.dormouse.start()
    }
    try {
      await between('snooze')
      await objects.paused('killed', true)
      await eventually(
        'it to sleep',
        async () => (await here.get('statefulsets', 'killed')).spec.replicas === 0,
      )
      const { body } = await here.workload('statefulsets', 'killed').attempt('GET', '')
      expect(body.data).to.include({ is_snoozed: true, last_replicas: 3 })
      await between('wake')
      await objects.paused('killed', false)
      await eventually(
        'it to run',
        async () => (await here.get('statefulsets', 'killed')).spec.replicas === 3,
      )
    } finally {
      await operator.stop()
    }
  })

  it('is told of by name where it is not there: in reason, log, metric and check', async () => {
    const absent = `the cluster serves no ${NOBODIES}`
    const ownerReferences = [
      { apiVersion: `${GROUP}/v1`, kind: 'Nobody', name: 'x', uid: 'x', controller: true },
    ]
    const { metadata, ...object } = manifest('statefulsets', 'alone') as unknown as { metadata: object }
    await on().create(here.namespace, [{ ...object, metadata: { ...metadata, ownerReferences } } as never])
    const workload = here.workload('statefulsets', 'alone')
    await workload.enable()
    await workload.snooze()
    const reason = async () => (await workload.attempt('GET', '')).body.data.reason
    await eventually('the reason', async () => (await reason()).includes(absent))
    expect(here.dormouse.log.some(({ error }) => JSON.stringify(error ?? '').includes(absent))).to.equal(true)
    const connected = (await here.dormouse.metrics()).filter(
      ({ name }) => name === 'dormouse_watch_connected',
    )
    const named = connected.map(({ labels, value }) => `${labels['kind']} ${value}`)
    expect(named).to.include(`${NOBODIES} 0`).and.to.include(`${CLUSTERS} 1`)
    const { unseen } = await checkedAgainst(on().adminKubeconfig, SETTINGS)
    expect(unseen.join()).to.include(absent)
  })

  it('goes on after a release, which ends every pause', async () => {
    await objects.create(CLUSTER, 'released', {})
    await objects.owned('released', 'released')
    await here.workload('statefulsets', 'released').enable()
    await here.workload('statefulsets', 'released').snooze()
    await objects.paused('released', true)
    await here.dormouse.terminate()
    const config = {
      ...SETTINGS,
      webhook: { enabled: false },
      controller: { lease: { namespace: here.namespace } },
    }
    const args = ['release', '--all', '--yes', '--kubeconfig', on().adminKubeconfig]
    const { code, stdout, stderr } = await runDormouse(args, { config })
    expect(code, stderr).to.equal(0)
    expect(stdout).to.include(`clusters/${here.namespace}/released\n`)
    await objects.paused('released', false)
  })
})

describeOnBoth('an owner that scales its workload back at once, without a webhook', function (on) {
  this.timeout(120_000)
  defined(on)
  const here = served(on, { ...SETTINGS, webhook: { enabled: false } })
  const objects = objectsIn(on, () => here.namespace)

  it('is paused all the same, and its workload is put back to sleep with its count', async () => {
    await objects.create(CLUSTER, 'quick', {})
    await objects.owned('quick', 'quick')
    const workload = here.workload('statefulsets', 'quick')
    await workload.enable()
    const operator = anOperator(on, objects, (name) => here.path('statefulsets', name))
    operator.start('quick')
    try {
      for (let time = 0; time < 3; time++) {
        await workload.snooze()
        await objects.paused('quick', true)
        await eventually(
          'it to sleep',
          async () => (await here.get('statefulsets', 'quick')).spec.replicas === 0,
        )
        expect(await workload.status()).to.include({ is_snoozed: true, last_replicas: 3 })
        await workload.wake()
        await objects.paused('quick', false)
        await eventually(
          'it to run',
          async () => (await here.get('statefulsets', 'quick')).spec.replicas === 3,
        )
      }
    } finally {
      await operator.stop()
    }
    expect(operator.times, 'without the pause it would scale it back for ever').to.be.at.most(30)
  })
})
