import { isConfigurable, MAX_REPLICAS, resourceOf, type ConfiguredKind } from '../../domain/kinds.ts'
import { sleepingBy, type KindSettings } from '../../domain/sleeping/configured.ts'
import { PRESETS, type PresetName } from '../../domain/sleeping/presets.ts'
import type { ImportedSpec, MergePatch } from './imported-spec.ts'

/** A kind of objects that an import meets, and what the other tools do with it. */
interface KindRow {
  /** Undefined: an import does not read it. */
  readonly apiVersion?: string
  /** Dormouse puts it to sleep; the name that policies have for it. */
  readonly sleepsAs?: string
  /** A downscaler changes it, and Dormouse does not: the reason why no policy needs it. */
  readonly needsNoPolicy?: string
  /** The part of the spec that a downscaler changed, from the value that it kept; undefined: it cannot be put back. */
  readonly before?: (kept: string, spec: ImportedSpec) => MergePatch | undefined
  /**
   * Fields of the spec that an import takes from kube-green's Secret, with its caller's rights. A fixed list: anybody
   * who may write in the namespace may have written the others. Kinds without a list are not read for kube-green.
   */
  readonly restored?: readonly string[]
  /** kube-green puts it to sleep without a patch: the field of a SleepInfo that says whether, and its default. */
  readonly suspendedBy?: readonly [field: `suspend${string}`, byDefault: boolean]
  /** The change that puts it to sleep, where that is not `/spec/replicas` at 0. */
  readonly asleep?: readonly [path: string, value: unknown]
  /** An operator's resource: the preset of `kinds` by which Dormouse switches it. */
  readonly preset?: PresetName
  /** A downscaler puts it to sleep, too: its name for the resource, where that is not the plural. */
  readonly downscaledAs?: string
}

/** The row of what a preset switches: kube-green does so by a patch that says the same. */
function switched(preset: PresetName): KindRow {
  const [settings]: readonly KindSettings[] = PRESETS[preset].kinds
  if (!settings) return {}
  const { resource, switch: values } = settings
  const { group } = resourceOf(resource as ConfiguredKind)
  const asleep = [sleepingBy(settings).field, values?.asleep ?? 0] as const
  return { apiVersion: `${group}/v1`, sleepsAs: resource, asleep, restored: [], preset }
}

const amountOf = (kept: string) =>
  /^\d+$/.test(kept) ? Number(kept) : /^\d+%$/.test(kept) ? kept : undefined

const ROWS: Readonly<Record<string, KindRow>> = {
  Namespace: { apiVersion: 'v1' },
  Deployment: {
    apiVersion: 'apps/v1',
    sleepsAs: 'deployments',
    restored: ['replicas'],
    suspendedBy: ['suspendDeployments', true],
  },
  StatefulSet: {
    apiVersion: 'apps/v1',
    sleepsAs: 'statefulsets',
    restored: ['replicas'],
    suspendedBy: ['suspendStatefulSets', true],
  },
  DaemonSet: { apiVersion: 'apps/v1', sleepsAs: 'daemonsets', restored: [] },
  CronJob: {
    apiVersion: 'batch/v1',
    sleepsAs: 'cronjobs',
    restored: ['suspend'],
    suspendedBy: ['suspendCronJobs', false],
    asleep: ['/spec/suspend', true],
  },
  Job: { apiVersion: 'batch/v1', needsNoPolicy: 'Jobs end by themselves' },
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    needsNoPolicy: 'an HPA rests while its workload is at 0',
    // The API server refuses more.
    before: (kept, { maxReplicas = MAX_REPLICAS }) =>
      /^\d+$/.test(kept) ? { minReplicas: Math.min(Number(kept), maxReplicas) } : undefined,
    restored: ['minReplicas', 'maxReplicas'],
  },
  PodDisruptionBudget: {
    apiVersion: 'policy/v1',
    needsNoPolicy: 'a PodDisruptionBudget without pods stops nothing',
    before: (kept, { minAvailable }) => {
      const amount = amountOf(kept)
      if (amount === undefined) return undefined
      return minAvailable === undefined ? { maxUnavailable: amount } : { minAvailable: amount }
    },
  },
  Service: {
    apiVersion: 'v1',
    needsNoPolicy: 'Services stay as they are',
    before: (kept) => (['LoadBalancer', 'NodePort'].includes(kept) ? { type: kept } : undefined),
  },
  Ingress: {
    apiVersion: 'networking.k8s.io/v1',
    needsNoPolicy: 'Ingresses stay as they are',
    before: (kept) => ({ ingressClassName: kept }),
  },
  ScaledObject: {
    apiVersion: 'keda.sh/v1alpha1',
    needsNoPolicy: 'the ScaledObject of a sleeper is paused by itself',
  },
  Rollout: { apiVersion: 'argoproj.io/v1alpha1', sleepsAs: 'rollouts.argoproj.io' },
  // GoKubeDownscaler sets the same values: the annotation, and the count.
  Cluster: { ...switched('cloudnative-pg'), downscaledAs: 'cnpgclusters' },
  postgresql: { ...switched('zalando-postgres'), downscaledAs: 'postgresqls' },
  PerconaServerMySQL: switched('percona-mysql'),
  PerconaXtraDBCluster: switched('percona-xtradb'),
  PerconaServerMongoDB: switched('percona-mongodb'),
  Stack: { needsNoPolicy: 'Stacks are not supported' },
  Prometheus: { needsNoPolicy: 'the scale of a Prometheus is its number of shards' },
  ElastiService: { apiVersion: 'elasti.truefoundry.com/v1alpha1' },
  SleepInfo: { apiVersion: 'kube-green.com/v1alpha1' },
  Secret: { apiVersion: 'v1' },
  ConfigMap: { apiVersion: 'v1' },
}

/** The row of a kind, without any fields for kinds that an import does not know. */
export function rowOf(kind = ''): KindRow {
  return ROWS[kind] ?? {}
}

function kindsWith(isMeant: (row: KindRow, kind: string) => boolean): readonly string[] {
  return Object.entries(ROWS).flatMap(([kind, row]) => (isMeant(row, kind) ? [kind] : []))
}

export const SLEEPERS = kindsWith(({ sleepsAs, preset }) => sleepsAs !== undefined && !preset)
/** Namespaces, and the kinds that downscalers change. */
export const READ_FOR_DOWNSCALERS = kindsWith(
  ({ apiVersion, sleepsAs, needsNoPolicy, preset, downscaledAs }, kind) =>
    kind === 'Namespace' ||
    ((!preset || downscaledAs !== undefined) &&
      apiVersion !== undefined &&
      (sleepsAs ?? needsNoPolicy) !== undefined),
)
/** The kinds that kube-green changes by itself, or by the most common patches. */
export const READ_FOR_KUBE_GREEN = kindsWith(({ restored, preset }) => restored !== undefined && !preset)
/** Those that it changes by patches alone: they are read where a SleepInfo or its Secret names them. */
export const READ_WHERE_NAMED = kindsWith(({ preset }) => preset !== undefined)

/** `deployments` */
export function pluralOf(kind: string): string {
  return kind.toLowerCase() + (kind.endsWith('s') ? 'es' : 's')
}

/** A downscaler's name for the resource: `deployments`, `cnpgclusters` */
export function downscaledAs(kind: string): string {
  return rowOf(kind).downscaledAs ?? pluralOf(kind)
}

/** The kind that a downscaler names so; undefined: an import does not know it. */
export function kindNamed(resource: string): string | undefined {
  return kindsWith((_, kind) => downscaledAs(kind) === resource)[0]
}

/** The entry of `kinds` without which Dormouse does not manage a kind; undefined: it does. */
export function entryFor(kind: string | undefined): string | undefined {
  const { sleepsAs = '', preset } = rowOf(kind)
  if (preset !== undefined) return `the preset ${preset}`
  return isConfigurable(sleepsAs) ? sleepsAs : undefined
}

/** `apps` of `apps/v1`; '' for kinds of the core. */
export function groupOf(apiVersion = ''): string {
  return apiVersion.replace(/\/.*|^v1$/, '')
}
