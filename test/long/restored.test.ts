import { expect } from 'chai'
import { realControlPlane } from '../control-plane/build.ts'
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts'
import { etcdutl } from '../go-programs/etcdutl.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import { realCluster } from '../support/real-cluster.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served, type Served } from '../support/served.ts'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { agree, marksOf } from '../e2e/agreement.ts'
import { both, describeWith } from '../suite/need.ts'

/** Recommended by Kubernetes and etcd, so that versions never go back. */
const BUMP = 1_000_000_000
const COUNT = 3

/** When the process is stopped by SIGSTOP; it goes on once the restored cluster's versions are above those that it saw. */
type Suspended = 'never' | 'once it has noticed' | 'from the start'

/** A workload in the backup, and its changes in the time that is lost. */
interface Case {
  readonly kind: Kind
  readonly name: string
  /** In the backup. */
  readonly asleep: boolean
  readonly pinned?: boolean
  readonly lost: (here: Served) => Promise<unknown>
}

const request = (kind: Kind, name: string, method: 'POST' | 'DELETE', what: string) => (here: Served) =>
  here.workload(kind, name).attempt(method, what)

const CASES: readonly Case[] = [
  { kind: 'deployments', name: 'ran', asleep: false, lost: request('deployments', 'ran', 'POST', 'snooze') },
  { kind: 'deployments', name: 'slept', asleep: true, lost: request('deployments', 'slept', 'POST', 'wake') },
  {
    kind: 'deployments',
    name: 'pinned',
    asleep: false,
    pinned: true,
    lost: request('deployments', 'pinned', 'DELETE', 'pin'),
  },
  {
    kind: 'deployments',
    name: 'recounted',
    asleep: true,
    async lost(here) {
      await here.workload('deployments', 'recounted').wake()
      await here.scale('deployments', 'recounted', 9)
      await here.workload('deployments', 'recounted').snooze()
    },
  },
  {
    kind: 'deployments',
    name: 'deleted',
    asleep: true,
    lost: (here) => here.cluster.admin.expect('DELETE', here.path('deployments', 'deleted')),
  },
  { kind: 'daemonsets', name: 'agent', asleep: true, lost: request('daemonsets', 'agent', 'POST', 'wake') },
  { kind: 'cronjobs', name: 'report', asleep: true, lost: request('cronjobs', 'report', 'POST', 'wake') },
]

const NEEDS = both(realControlPlane, etcdutl)

describeWith(NEEDS, 'etcd is restored from a backup while Dormouse runs', function ([programs, program]) {
  this.timeout(240_000)
  let plane: ControlPlane | undefined
  let cluster: Cluster | undefined
  const on = () => {
    if (!cluster) throw new TypeError('the cluster is there only within hooks and tests')
    return cluster
  }

  before('a control plane of its own', async () => {
    plane = await startControlPlane({ programs, nodes: 1 })
    cluster = await realCluster(plane)
  })

  // After Dormouse, which is stopped by a hook of its own.
  const here = served(on, { newWorkloadGrace: '0s' })
  after('the control plane is stopped', () => plane?.stop())
  const server = () => {
    if (!plane) throw new TypeError('the control plane runs only within hooks and tests')
    return plane
  }

  const connected = async () => sumOf(await here.dormouse.metrics(), 'dormouse_watch_connected', {})
  const version = async () => {
    const { metadata } = await on().admin.expect('GET', here.path('deployments'))
    return BigInt(String(metadata?.['resourceVersion']))
  }

  /** The records of the API and the objects agree, and are as in the backup. */
  async function isAsInTheBackup({ kind, name, asleep, pinned = false }: Case): Promise<boolean> {
    const { status, body } = await here.workload(kind, name).attempt('GET', '')
    const { state } = marksOf(await here.get(kind, name))
    const record = status === 200 ? body.data : undefined
    return (
      record?.is_snoozed === asleep &&
      state?.asleep === asleep &&
      (record.pin_state !== 'none') === pinned &&
      (state.pin !== undefined) === pinned
    )
  }

  async function asInTheBackup(): Promise<void> {
    for (const each of CASES)
      await eventually(`${each.kind}/${each.name} to be as in the backup`, () => isAsInTheBackup(each))
    await eventually('what came after it to be forgotten', async () => {
      const { status } = await here.workload('deployments', 'came').attempt('GET', '')
      return status === 404
    })
  }

  before('workloads in several states, a backup, and changes that it lacks', async () => {
    for (const { kind, name, asleep, pinned } of CASES) {
      const workload = await (asleep ? here.asleep : here.enabled)(kind, name, { replicas: COUNT })
      if (pinned) await workload.pin()
    }
  })

  /** Backs up, loses `CASES`' changes, and restores; `meanwhile` runs while Dormouse cannot look. */
  async function restored(bump: number | undefined, suspended: Suspended): Promise<void> {
    const backup = await server().backUp()
    for (const { lost } of CASES) await lost(here)
    await here.create('deployments', 'came')
    const lostVersion = await version()
    if (suspended === 'from the start') here.dormouse.suspend()
    await on().stopApiServer()
    if (suspended !== 'from the start')
      await eventually('Dormouse to notice', async () => (await connected()) === 0)
    if (suspended === 'once it has noticed') here.dormouse.suspend()
    await server().restore(backup, { etcdutl: program, ...(bump === undefined ? {} : { bump }) })
    if (suspended !== 'never') {
      while ((await version()) <= lostVersion + 20n)
        await on().admin.expect('POST', '/api/v1/namespaces/default/configmaps', {
          metadata: { generateName: 'overtakes-' },
        })
      here.dormouse.resume()
    }
  }

  const ROUNDS = [
    { title: 'with its revisions bumped, as is advised', bump: BUMP, suspended: 'never' },
    { title: 'with versions that go back', bump: undefined, suspended: 'never' },
    {
      title: 'with versions that others have made overtake ours before it looks',
      bump: undefined,
      suspended: 'once it has noticed',
    },
    {
      title: 'with versions that overtook ours while its process was suspended',
      bump: undefined,
      suspended: 'from the start',
    },
  ] as const
  for (const { title, bump, suspended } of ROUNDS)
    it(`${title}: it takes every workload as the backup has it`, async () => {
      await restored(bump, suspended)
      await asInTheBackup()
    })

  it('sleepers wake to their counts and stay awake, by request and by their schedules', async () => {
    await here.workload('deployments', 'recounted').wake()
    await here
      .workload('deployments', 'deleted')
      .attempt('PUT', 'schedule', { body: { schedule: awakeNow() } })
    await here.workload('deployments', 'slept').attempt('PUT', 'schedule', { body: { schedule: awakeNow() } })
    for (const name of ['recounted', 'deleted', 'slept']) {
      await here.settled('deployments', name)
      await agree(here, 'deployments', name)
      expect((await here.get('deployments', name)).spec.replicas, name).to.equal(COUNT)
    }
    await here.workload('deployments', 'ran').attempt('PUT', 'schedule', { body: { schedule: asleepNow() } })
    await eventually(
      'one to sleep',
      async () => marksOf(await here.get('deployments', 'ran')).label === String(COUNT),
    )
  })
})
