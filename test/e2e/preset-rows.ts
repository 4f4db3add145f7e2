import { resourceOf, type BuiltInKind, type Kind } from '../../src/domain/kinds.ts'
import { KINDS } from '../../src/domain/workload/workload.ts'
import type { PresetName } from '../../src/domain/sleeping/presets.ts'
import type { CustomKind } from '../support/custom-kinds.ts'

/**
 * A way to sleep: of a built-in kind, or of a preset, as much as that looks at. No operator runs here, since theirs need what
 * runs in real pods: the status is what their public sources write.
 */
export interface Row {
  readonly title: string
  readonly preset?: PresetName
  /** The kind of the workload. */
  readonly kind: Kind
  /** Its definition, where it is not built in. */
  readonly custom?: CustomKind
  /** The parts of its object that say awake, and asleep. */
  readonly awake: object
  readonly asleep: object
  /** The change of somebody who wants it awake; absent: as `awake`. A count of its own in a spec alone does not wake it. */
  readonly byHand?: object
  /** The status that its operator writes at work, and at rest. */
  readonly running?: object
  readonly stopped?: object
  /** The object that owns it. */
  readonly owner?: { readonly custom: CustomKind; readonly paused: object }
  /** Whether an apply of its manifest says whether it sleeps. */
  readonly isInManifest: boolean
}

function defined(resource: string, kind: string, version = 'v1'): CustomKind {
  const { group, resource: plural } = resourceOf(resource as `${string}.${string}`)
  return { group, plural, kind, version, hasStatus: true }
}

function switched(preset: PresetName, resource: `${string}.${string}`, kind: string, row: Partial<Row>): Row {
  const custom = defined(resource, kind)
  const spec = { awake: {}, asleep: {}, isInManifest: true }
  return { title: preset, preset, kind: resource, custom, ...spec, ...row }
}

const HIBERNATION = 'cnpg.io/hibernation'
const hibernating = (value: string) => ({ metadata: { annotations: { [HIBERNATION]: value } } })
const hibernated = (status: string, readyInstances: number) => ({
  readyInstances,
  conditions: [{ type: HIBERNATION, status }],
})
const PAUSED_BY_SPEC: Partial<Row> = {
  awake: { spec: { pause: false } },
  asleep: { spec: { pause: true } },
  running: { state: 'ready' },
  stopped: { state: 'paused' },
}

export const SWITCHES: readonly Row[] = [
  switched('cloudnative-pg', 'clusters.postgresql.cnpg.io', 'Cluster', {
    awake: { ...hibernating('off'), spec: { instances: 3 } },
    asleep: { ...hibernating('on'), spec: { instances: 3 } },
    running: hibernated('False', 3),
    stopped: hibernated('True', 0),
  }),
  switched('zalando-postgres', 'postgresqls.acid.zalan.do', 'postgresql', {
    awake: { spec: { numberOfInstances: 2 } },
    asleep: { spec: { numberOfInstances: 0 } },
    running: { PostgresClusterStatus: 'Running' },
    byHand: { spec: { numberOfInstances: 5 } },
  }),
  switched('percona-mysql', 'perconaservermysqls.ps.percona.com', 'PerconaServerMySQL', PAUSED_BY_SPEC),
  switched('percona-xtradb', 'perconaxtradbclusters.pxc.percona.com', 'PerconaXtraDBCluster', PAUSED_BY_SPEC),
  switched(
    'percona-mongodb',
    'perconaservermongodbs.psmdb.percona.com',
    'PerconaServerMongoDB',
    PAUSED_BY_SPEC,
  ),
]

const REPLICAS = {
  awake: { spec: { replicas: 2 } },
  asleep: { spec: { replicas: 0 } },
  byHand: { spec: { replicas: 5 } },
  isInManifest: true,
}

function owned(
  preset: PresetName,
  custom: CustomKind,
  paused: object,
  kind: 'deployments' | 'statefulsets' = 'statefulsets',
): Row {
  return { title: `${preset}, ${custom.kind}`, preset, kind, ...REPLICAS, owner: { custom, paused } }
}

const UNMANAGED = { metadata: { annotations: { 'eck.k8s.elastic.co/managed': 'false' } } }
const skipped = (kind: string) => ({
  metadata: { annotations: { [`${kind}.opstreelabs.in/skip-reconcile`]: 'true' } },
})
const elastic = (plural: string, kind: string, version?: string) =>
  defined(`${plural}.k8s.elastic.co`, kind, version)
const redis = (plural: string, kind: string) =>
  defined(`${plural}.redis.redis.opstreelabs.in`, kind, 'v1beta2')

export const OWNED: readonly Row[] = [
  owned('rabbitmq', defined('rabbitmqclusters.rabbitmq.com', 'RabbitmqCluster', 'v1beta1'), {
    metadata: { labels: { 'rabbitmq.com/pauseReconciliation': 'true' } },
  }),
  owned('eck', elastic('elasticsearches.elasticsearch', 'Elasticsearch'), UNMANAGED),
  owned('eck', elastic('kibanas.kibana', 'Kibana'), UNMANAGED, 'deployments'),
  owned('eck', elastic('apmservers.apm', 'ApmServer'), UNMANAGED, 'deployments'),
  owned('eck', elastic('logstashes.logstash', 'Logstash', 'v1alpha1'), UNMANAGED),
  owned('redis', redis('redis', 'Redis'), skipped('redis')),
  owned('redis', redis('redisclusters', 'RedisCluster'), skipped('rediscluster')),
  owned('redis', redis('redisreplications', 'RedisReplication'), skipped('redisreplication')),
  owned('redis', redis('redissentinels', 'RedisSentinel'), skipped('redissentinel')),
]

const OF_KIND: Readonly<Record<BuiltInKind, Partial<Row>>> = {
  deployments: {},
  statefulsets: {},
  replicasets: {},
  daemonsets: {
    awake: {},
    asleep: { spec: { template: { spec: { nodeSelector: { 'dormouse.dev/snoozed': 'true' } } } } },
    byHand: { spec: { template: { spec: { nodeSelector: null } } } },
    isInManifest: false,
  },
  cronjobs: {
    awake: { spec: { suspend: false } },
    asleep: { spec: { suspend: true } },
    byHand: { spec: { suspend: false } },
  },
}

export const BUILT_IN: readonly Row[] = KINDS.map((kind) => ({
  title: kind,
  kind,
  ...REPLICAS,
  ...OF_KIND[kind],
}))
