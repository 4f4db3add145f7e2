import type { OwnerSettings } from '../companions/configured.ts'
import type { KindSettings } from './configured.ts'

/** Settings for the operators that people run, by name: `preset: cloudnative-pg` in `kinds`. Each is a row. */
interface Preset {
  readonly kinds: readonly KindSettings[]
  /** As entries of `owners`. */
  readonly owners?: readonly OwnerSettings[]
}

/** `.spec.pause` and `.status.state`, which all of Percona's operators have (docs.percona.com, "Pause/resume"). */
function percona(resource: string, versions: readonly string[]): KindSettings {
  return {
    resource,
    versions,
    switch: { path: '.spec.pause', asleep: true, awake: false },
    asleepWhen: { path: '.status.state', equals: 'paused' },
    awakeWhen: { path: '.status.state', equals: 'ready' },
  }
}

function unmanaged(resource: string): OwnerSettings {
  return {
    resource: `${resource}.k8s.elastic.co`,
    pause: { annotation: 'eck.k8s.elastic.co/managed', asleep: 'false' },
  }
}

function skipped(kind: string): OwnerSettings {
  const plural = kind === 'redis' ? kind : `${kind}s`
  return {
    resource: `${plural}.redis.redis.opstreelabs.in`,
    pause: { annotation: `${kind}.opstreelabs.in/skip-reconcile`, asleep: 'true' },
  }
}

export const PRESETS = {
  // Declarative hibernation keeps the volumes (cloudnative-pg.io, "Declarative hibernation").
  'cloudnative-pg': {
    kinds: [
      {
        resource: 'clusters.postgresql.cnpg.io',
        versions: ['v1'],
        switch: { annotation: 'cnpg.io/hibernation', asleep: 'on', awake: 'off' },
        asleepWhen: { condition: 'cnpg.io/hibernation', equals: 'True' },
        awakeWhen: { path: '.status.readyInstances', equalsPath: '.spec.instances' },
        along: [
          {
            resource: 'scheduledbackups.postgresql.cnpg.io',
            selectedBy: '.spec.cluster.name',
            path: '.spec.suspend',
            asleep: true,
          },
        ],
        // Those in between "pending" and "completed" (cloudnative-pg.io, BackupPhase).
        notWhile: [
          {
            resource: 'backups.postgresql.cnpg.io',
            selectedBy: '.spec.cluster.name',
            path: '.status.phase',
            in: ['started', 'running', 'finalizing'],
          },
        ],
      },
    ],
  },
  // A count without a scale subresource; 0 stops all pods (postgres-operator.readthedocs.io, "numberOfInstances").
  'zalando-postgres': {
    kinds: [
      {
        resource: 'postgresqls.acid.zalan.do',
        versions: ['v1'],
        specReplicasPath: '.spec.numberOfInstances',
        awakeWhen: { path: '.status.PostgresClusterStatus', equals: 'Running' },
      },
    ],
  },
  'percona-mysql': { kinds: [percona('perconaservermysqls.ps.percona.com', ['v1', 'v1alpha1'])] },
  'percona-xtradb': { kinds: [percona('perconaxtradbclusters.pxc.percona.com', ['v1'])] },
  'percona-mongodb': { kinds: [percona('perconaservermongodbs.psmdb.percona.com', ['v1'])] },
  // The operator leaves a labelled cluster alone (rabbitmq.com, "Pause reconciliation").
  rabbitmq: {
    kinds: [],
    owners: [
      {
        resource: 'rabbitmqclusters.rabbitmq.com',
        pause: { label: 'rabbitmq.com/pauseReconciliation', asleep: 'true' },
      },
    ],
  },
  // Each of its objects may be excluded from its operator (elastic.co, "Exclude resources from reconciliation").
  eck: {
    kinds: [],
    owners: [
      unmanaged('elasticsearches.elasticsearch'),
      unmanaged('kibanas.kibana'),
      unmanaged('apmservers.apm'),
      unmanaged('logstashes.logstash'),
    ],
  },
  // Each kind of OT's operator has a name of its own for it (redis-operator's `controllers`).
  redis: {
    kinds: [],
    owners: [
      skipped('redis'),
      skipped('rediscluster'),
      skipped('redisreplication'),
      skipped('redissentinel'),
    ],
  },
} as const satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]

/** An entry of `kinds`: a preset, or a kind of one's own. */
type Entry = { readonly [Key in keyof KindSettings]?: unknown } & { readonly preset?: PresetName | null }

/** The kinds that the entries stand for, in their order; keys without a value are left out. */
export function kindsOf(entries: readonly Entry[]): KindSettings[] {
  return entries.flatMap(({ preset, ...entry }): readonly KindSettings[] =>
    preset == null ? [given(entry) as KindSettings] : PRESETS[preset].kinds,
  )
}

/** The owners that presets among the entries bring. */
export function ownersOf(entries: readonly Entry[]): OwnerSettings[] {
  const presets: Readonly<Record<string, Preset>> = PRESETS
  return entries.flatMap(({ preset }) => presets[preset ?? '']?.owners ?? [])
}

/** The value without keys that have none, which is how the configuration leaves out what has no default. */
function given(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const present = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return Object.fromEntries(present.map(([key, each]) => [key, given(each)]))
}
