import { expect } from 'chai'
import { resourceOf } from '../../src/domain/kinds.ts'
import { itWith } from '../suite/need.ts'
import { describeOnBoth } from '../support/clusters.ts'
import {
  defineKind,
  mayManage,
  mayNoLongerManage,
  undefineKind,
  type CustomKind,
} from '../support/custom-kinds.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { kubectl } from '../support/kubectl.ts'
import { asleepNow } from '../support/schedules.ts'

/**
 * An operator's resource, as much as its preset looks at. No operator runs here, since theirs need what runs in real pods:
 * the status is what their public sources write.
 */
interface Operated {
  readonly preset: string
  readonly resource: `${string}.${string}`
  readonly kind: string
  readonly version?: string
  readonly awake: object
  readonly asleep: object
  /** Its operator at rest, and at work. */
  readonly stopped: object
  readonly running: object
  readonly count?: number
}

const PERCONA = {
  awake: { spec: { pause: false } },
  asleep: { spec: { pause: true } },
  stopped: { state: 'paused' },
  running: { state: 'ready' },
}
const HIBERNATION = 'cnpg.io/hibernation'
const OPERATED: readonly Operated[] = [
  {
    preset: 'cloudnative-pg',
    resource: 'clusters.postgresql.cnpg.io',
    kind: 'Cluster',
    awake: { metadata: { annotations: { [HIBERNATION]: 'off' } }, spec: { instances: 3 } },
    asleep: { metadata: { annotations: { [HIBERNATION]: 'on' } }, spec: { instances: 3 } },
    stopped: { readyInstances: 0, conditions: [{ type: HIBERNATION, status: 'True' }] },
    running: { readyInstances: 3, conditions: [{ type: HIBERNATION, status: 'False' }] },
  },
  {
    preset: 'zalando-postgres',
    resource: 'postgresqls.acid.zalan.do',
    kind: 'postgresql',
    awake: { spec: { numberOfInstances: 2 } },
    asleep: { spec: { numberOfInstances: 0 } },
    stopped: { PostgresClusterStatus: 'Running' },
    running: { PostgresClusterStatus: 'Running' },
    count: 2,
  },
  {
    preset: 'percona-mysql',
    resource: 'perconaservermysqls.ps.percona.com',
    kind: 'PerconaServerMySQL',
    ...PERCONA,
  },
  {
    preset: 'percona-xtradb',
    resource: 'perconaxtradbclusters.pxc.percona.com',
    kind: 'PerconaXtraDBCluster',
    ...PERCONA,
  },
]
const CNPG = OPERATED[0]!
/** A preset whose definition is absent, and one of a version that it does not know. */
const ABSENT = 'perconaservermongodbs.psmdb.percona.com'
const UNKNOWN: Operated = { ...OPERATED[3]!, version: 'v7' }

const definitionOf = ({ resource, kind, version }: Operated): CustomKind => {
  const { group, resource: plural } = resourceOf(resource)
  return { group, plural, kind, hasStatus: true, ...(version && { version }) }
}

describeOnBoth("operators' own switches", function (on) {
  this.timeout(240_000)
  const defined = [...OPERATED.slice(0, 3), UNKNOWN].map(definitionOf)

  before('their definitions are there, and Dormouse may see them', async () => {
    for (const each of defined) {
      await defineKind(on(), each)
      // The sandbox asks nobody for rights.
      if (on().isReal) await mayManage(on(), each.group)
    }
  })
  after(async () => {
    for (const each of defined) {
      if (on().isReal) await mayNoLongerManage(on(), each.group)
      await undefineKind(on(), each)
    }
  })
  const here = enforced(on, {
    settings: {
      operationTimeout: '15s',
      kinds: [...OPERATED.map(({ preset }) => ({ preset })), { preset: 'percona-mongodb' }],
    },
  })
  before(() => here.inForce())

  const path = ({ resource }: Operated, name = '') => {
    const { group, resource: plural } = resourceOf(resource)
    return `/apis/${group}/v1/namespaces/${here.namespace}/${plural}${name && `/${name}`}`
  }
  const says = (of: Operated, name: string, status: object) =>
    on().admin.expect('PATCH', `${path(of, name)}/status`, { status })

  const wholeOf = ({ resource, kind }: Operated, name: string, object: object) => {
    const { metadata = {}, ...rest } = object as { metadata?: object }
    const apiVersion = `${resourceOf(resource).group}/v1`
    return { apiVersion, kind, metadata: { name, ...metadata }, ...rest }
  }

  /** Creates one whose operator has made it run. */
  async function create(of: Operated, name: string, object = of.awake, status = of.running) {
    await on().admin.expect('POST', path(of), wholeOf(of, name, object))
    await says(of, name, status)
    const workload = here.workload(of.resource, name)
    await eventually('it to be known', async () => (await workload.attempt('GET', '')).status === 200)
    return workload
  }
  const stored = async (of: Operated, name: string) => {
    const { metadata, spec } = await on().admin.expect('GET', path(of, name))
    return { metadata, spec }
  }

  for (const of of OPERATED.slice(0, 3))
    describe(of.preset, () => {
      const count = of.count ?? 1

      it('sleeps and wakes by its own switch, and is done once its operator is', async () => {
        const workload = await create(of, 'moves')
        await workload.enable()
        expect(await workload.snooze()).to.include({ is_snoozed: true, last_replicas: count })
        expect(await stored(of, 'moves')).to.containSubset(of.asleep)
        if (of.stopped !== of.running) await says(of, 'moves', of.stopped)
        const result = async () => (await workload.status()).operation_history[0]?.result
        await eventually('it to be asleep', async () => (await result()) === 'succeeded')
        await workload.wake()
        expect(await stored(of, 'moves')).to.containSubset(of.awake)
        await says(of, 'moves', of.running)
        await eventually('it to be awake', async () => (await result()) === 'succeeded')
      })

      it('holds a pin, and is woken by hand where nothing holds it', async () => {
        const workload = await create(of, 'holds')
        await workload.enable()
        await workload.pin()
        const refused = await on().admin.send('PATCH', path(of, 'holds'), of.asleep)
        expect(refused.status).to.equal(403)
        expect(refused.body.message).to.include('is pinned')
        await workload.unpin()
        await workload.snooze()
        expect((await on().admin.send('PATCH', path(of, 'holds'), of.awake)).status).to.equal(200)
        // By its switch; a count in a spec alone may come from anywhere, and is kept for its next wake.
        const wakes = of.count === undefined
        await eventually('it to be known', async () => (await workload.status()).is_snoozed !== wakes)
        expect(await stored(of, 'holds')).to.containSubset(wakes ? of.awake : of.asleep)
      })

      itWith(kubectl, 'stays asleep where its manifest is applied again', async () => {
        const manifest = wholeOf(of, 'applied', of.awake)
        expect((await here.withFile('apply', manifest)).code).to.equal(0)
        const workload = here.workload(of.resource, 'applied')
        await eventually(
          'it to be known',
          async () => (await workload.attempt('POST', 'enable')).status === 200,
        )
        await workload.snooze()
        const { code, stderr } = await here.withFile('apply', manifest)
        expect(code, stderr).to.equal(0)
        expect(stderr).to.include('is asleep and stays')
        expect(await stored(of, 'applied')).to.containSubset(of.asleep)
        expect(await workload.status()).to.include({ is_snoozed: true, last_replicas: count })
      })

      it('that slept before is found asleep, and no schedule wakes it', async () => {
        const workload = await create(of, 'found', of.asleep, of.stopped)
        expect(await workload.enable({ schedule: asleepNow() })).to.include({ is_snoozed: true })
        await workload.schedule({ schedule: '0:00-24:00' })
        expect(await stored(of, 'found')).to.containSubset(of.asleep)
      })
    })

  it('are waited for: one whose operator is down is late, and nothing is repeated', async () => {
    const workload = await create(CNPG, 'waits')
    await workload.enable()
    await workload.snooze()
    const result = async () => (await workload.status()).operation_history[0]?.result
    await eventually('its operation to have timed out', async () => (await result()) === 'timed_out')
    expect((await workload.status()).operation_history).to.have.length(1)
    expect(await stored(CNPG, 'waits')).to.containSubset(CNPG.asleep)
  })

  it('that are absent, or of a version that the preset does not know, are told by name', async () => {
    for (const [kind, why] of [
      [ABSENT, 'is its CustomResourceDefinition installed?'],
      [UNKNOWN.resource, 'its preset knows v1, and the cluster serves v7'],
    ] as const) {
      const { status, body } = await here.workload(kind, 'any').attempt('GET', '')
      expect([status, body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(body.error.message).to.include(why)
    }
  })
})
