/** The two values of a switch; any other value counts as awake. */
export interface SwitchValues {
  readonly asleep: boolean | string
  readonly awake: boolean | string
  readonly words: {
    /** Its state: `suspended`. */
    readonly asleep: string
    readonly awake: string
    /** The act that brought it there: `resumed`. */
    readonly woken: string
    /** A manifest `suspends` it. */
    readonly empties: string
  }
}

/** How Kubernetes serves a kind, and how the kind is put to sleep: all differences between kinds are here. */
interface KindFacts {
  readonly group: string
  readonly version: string
  /** The `kind` of Kubernetes. */
  readonly name: string
  /**
   * Its form of sleeping: with a count of 0, with a nodeSelector that no node satisfies, or with one of two values.
   * Whether it is asleep is read from the same field.
   */
  readonly sleepsBy: 'count' | 'nodeSelector' | SwitchValues
  /** That field, as a JSON pointer into the object. */
  readonly field: string
  /** The template of its pods or jobs. */
  readonly template: string
  /** Whether it starts Jobs by a schedule of its own. */
  readonly startsJobs?: true
  /** Whether people and autoscalers use its scale subresource. */
  readonly hasScale: boolean
}

const APPS = { group: 'apps', version: 'v1' } as const
const COUNTED = {
  sleepsBy: 'count',
  field: '/spec/replicas',
  template: '/spec/template',
  hasScale: true,
} as const

/** The kinds by the resource names of their paths. */
const FACTS = {
  deployments: { ...APPS, ...COUNTED, name: 'Deployment' },
  statefulsets: { ...APPS, ...COUNTED, name: 'StatefulSet' },
  daemonsets: {
    ...APPS,
    name: 'DaemonSet',
    sleepsBy: 'nodeSelector',
    field: '/spec/template/spec/nodeSelector',
    template: '/spec/template',
    hasScale: false,
  },
  replicasets: { ...APPS, ...COUNTED, name: 'ReplicaSet' },
  cronjobs: {
    group: 'batch',
    version: 'v1',
    name: 'CronJob',
    sleepsBy: {
      asleep: true,
      awake: false,
      words: { asleep: 'suspended', awake: 'unsuspended', woken: 'resumed', empties: 'suspends' },
    },
    field: '/spec/suspend',
    template: '/spec/jobTemplate',
    startsJobs: true,
    hasScale: false,
  },
} as const satisfies Record<string, KindFacts>

export type BuiltInKind = keyof typeof FACTS
/** A kind of the configuration's `kinds`, by the full name of its resource: `rollouts.argoproj.io`. */
export type ConfiguredKind = `${string}.${string}`
export type Kind = BuiltInKind | ConfiguredKind
export const KINDS = Object.keys(FACTS) as readonly BuiltInKind[]

/** Common to all configured kinds; the configuration has the path of the count. */
export function factsOf(kind: Kind): KindFacts {
  return isBuiltIn(kind) ? FACTS[kind] : { ...COUNTED, ...resourceOf(kind), version: '*', name: '' }
}

/** The API group and the resource, as paths, roles and reviews have them. */
export function resourceOf(kind: Kind): { readonly group: string; readonly resource: string } {
  if (isBuiltIn(kind)) return { group: FACTS[kind].group, resource: kind }
  const dot = kind.indexOf('.')
  return { group: kind.slice(dot + 1), resource: kind.slice(0, dot) }
}

/** The kind that a resource may be; undefined: Dormouse cannot manage it. */
export function kindOf(group: string, resource: string): Kind | undefined {
  if (isBuiltIn(resource)) return FACTS[resource].group === group ? resource : undefined
  return isConfigurable(`${resource}.${group}`) ? `${resource}.${group}` : undefined
}

/** The `kind` of Kubernetes: `Deployment`. */
export const KIND_NAME = recordOf((kind) => FACTS[kind].name)
/** The kinds with a scale subresource. */
export const SCALABLE_KINDS = KINDS.filter((kind) => FACTS[kind].hasScale)

/** The `type` of the API: `deployment`. */
export const TYPE_OF = recordOf((kind) => FACTS[kind].name.toLowerCase())

/** The types of all built-in kinds. */
export const TYPES: readonly string[] = Object.values(TYPE_OF)

/** The kind as messages name it; of a configured one, which may be irregular, by the rules of English. */
export function typeOf(kind: Kind): string {
  if (isBuiltIn(kind)) return TYPE_OF[kind]
  const { resource } = resourceOf(kind)
  if (resource.endsWith('ies')) return `${resource.slice(0, -3)}y`
  return resource.replace(/(?<=s|sh|ch|x)es$|s$/, '')
}

export function isBuiltIn(text: string): text is BuiltInKind {
  return Object.hasOwn(FACTS, text)
}

/** Kinds with a scale that must not be put to sleep by it, and why. */
export const UNMANAGEABLE: Readonly<Record<string, string>> = {
  'clusters.postgresql.cnpg.io':
    'scaling a CloudNativePG Cluster down deletes volumes: write { preset: cloudnative-pg }',
  'prometheuses.monitoring.coreos.com': 'the scale of a Prometheus is its number of shards, not of pods',
  'prometheusagents.monitoring.coreos.com': 'its scale is its number of shards, not of pods',
  'kafkanodepools.kafka.strimzi.io': 'the operator refuses a KafkaNodePool without nodes',
}

const CONFIGURABLE = /^[a-z][a-z0-9-]*(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?){2,}$/

/** Whether the text names a resource of an API group of others' making: a CustomResourceDefinition's name. */
export function isConfigurable(text: string): text is ConfiguredKind {
  return CONFIGURABLE.test(text) && !text.endsWith('.k8s.io')
}

export function isKind(text: string): text is Kind {
  return isBuiltIn(text) || isConfigurable(text)
}

/** `apps/v1`; for a configured kind any version, since only the cluster knows it. */
export function apiVersionOf(kind: Kind): string {
  const { group, version } = factsOf(kind)
  return `${group}/${version}`
}

function recordOf<T>(of: (kind: BuiltInKind) => T): Readonly<Record<BuiltInKind, T>> {
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<BuiltInKind, T>
}

/** The controller owner of an object. */
export interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

/** The largest that `spec.replicas` can be: an int32. */
export const MAX_REPLICAS = 2 ** 31 - 1
