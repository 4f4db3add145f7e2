/** How Kubernetes serves a kind, and how it is put to sleep: all that differs between kinds stands here. */
interface KindFacts {
  readonly group: string
  readonly version: string
  /** What Kubernetes calls `kind`. */
  readonly name: string
  /**
   * How it sleeps: with a count of 0, with a nodeSelector that no node satisfies, or with `true` for suspended. Whether
   * it is asleep is read from the same field.
   */
  readonly sleepsBy: 'count' | 'nodeSelector' | 'suspension'
  /** That field, as a JSON pointer into the object. */
  readonly field: string
  /** Whether people and autoscalers scale it through a scale subresource. */
  readonly hasScale: boolean
}

const APPS = { group: 'apps', version: 'v1' } as const
const COUNTED = { sleepsBy: 'count', field: '/spec/replicas', hasScale: true } as const

/** The kinds by their resource names, as they stand in paths. */
const FACTS = {
  deployments: { ...APPS, ...COUNTED, name: 'Deployment' },
  statefulsets: { ...APPS, ...COUNTED, name: 'StatefulSet' },
  daemonsets: {
    ...APPS,
    name: 'DaemonSet',
    sleepsBy: 'nodeSelector',
    field: '/spec/template/spec/nodeSelector',
    hasScale: false,
  },
  replicasets: { ...APPS, ...COUNTED, name: 'ReplicaSet' },
  cronjobs: {
    group: 'batch',
    version: 'v1',
    name: 'CronJob',
    sleepsBy: 'suspension',
    field: '/spec/suspend',
    hasScale: false,
  },
} as const satisfies Record<string, KindFacts>

export type Kind = keyof typeof FACTS
export const KINDS = Object.keys(FACTS) as readonly Kind[]

export function factsOf(kind: Kind): KindFacts {
  return FACTS[kind]
}

/** What Kubernetes calls `kind`: `Deployment`. */
export const KIND_NAME = recordOf((kind) => FACTS[kind].name)
/** Those with a scale subresource. */
export const SCALABLE_KINDS = KINDS.filter((kind) => FACTS[kind].hasScale)

/** What the API calls `type`: `deployment`. */
export const TYPE_OF = recordOf((kind) => FACTS[kind].name.toLowerCase())

export function isKind(text: string): text is Kind {
  return Object.hasOwn(FACTS, text)
}

/** `apps/v1` */
export function apiVersionOf(kind: Kind): string {
  const { group, version } = FACTS[kind]
  return `${group}/${version}`
}

/** Whether it sleeps with a count of 0; other kinds have a count for information only. */
export function hasCount(kind: Kind): boolean {
  return FACTS[kind].sleepsBy === 'count'
}

/** Whether it sleeps by our key in its nodeSelector. */
export function hasKey(kind: Kind): boolean {
  return FACTS[kind].sleepsBy === 'nodeSelector'
}

/** Whether it sleeps suspended: its count is 1, or 0 while it is suspended by whomever. */
export function sleepsSuspended(kind: Kind): boolean {
  return FACTS[kind].sleepsBy === 'suspension'
}

function recordOf<T>(of: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Kind, T>
}
