import { rowOf } from './kinds.ts'

/** An object of the cluster, as far as an import reads it. */
export interface ImportedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly controller?: boolean }[]
  }
  readonly spec?: ImportedSpec
  readonly status?: { readonly readyReplicas?: number }
  /** A ConfigMap's data, or a Secret's in base64. */
  readonly data?: Readonly<Record<string, string>>
}

export interface ImportedSpec {
  readonly replicas?: number
  readonly suspend?: boolean
  readonly minReplicas?: number
  readonly minAvailable?: number | string
  readonly maxUnavailable?: number | string
  readonly type?: string
  readonly ingressClassName?: string
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string }
  readonly [field: string]: unknown
  readonly template?: { readonly metadata?: object; readonly spec?: ImportedPodSpec }
}

interface ImportedPodSpec {
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly containers?: readonly ImportedContainer[]
}

export interface ImportedContainer {
  readonly name?: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly configMapKeyRef?: KeyRef; readonly secretKeyRef?: KeyRef }
  }[]
  readonly envFrom?: readonly EnvironmentSource[]
}

interface KeyRef {
  readonly name: string
  readonly key: string
}

/** One of both; with the prefix of each variable's name. */
export interface EnvironmentSource {
  readonly prefix?: string
  readonly configMapRef?: { readonly name: string } | undefined
  readonly secretRef?: { readonly name: string } | undefined
}

/** An import's step for one object, or the reason to do nothing. */
export interface Step {
  readonly object: ImportedObject
  /** `mapped`: without differences; `approximated`: with the differences in `says`; `refused`: left to a person. */
  readonly verdict: 'mapped' | 'approximated' | 'refused'
  /** Sentences without a full stop. */
  readonly says: readonly string[]
  /** Undefined: nothing is written. */
  readonly patch?: MergePatch
  /** For a sleeper: the count that the other tool recorded. */
  readonly recorded?: number
  /** Another patch, for when its Namespace is done: it removes what the workload inherits from that. */
  readonly inherits?: MergePatch
  /** Another patch, for when everything else is done: it removes what an import that is repeated would read. */
  readonly afterwards?: MergePatch
  /** It is deleted, after everything else is done. */
  readonly goes?: true
}

/** RFC 7396. */
export type MergePatch = { readonly [key: string]: MergePatch | string | number | boolean | null }

/** A patch that sets annotations, or removes those that are null. */
export function annotating(annotations: MergePatch): MergePatch {
  return { metadata: { annotations } }
}

/** `deployment shop/web` */
export function nameOf({ kind, metadata: { namespace, name } }: ImportedObject): string {
  return `${kind.toLowerCase()} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** Whether Dormouse puts its kind to sleep. */
export function canSleep({ kind }: ImportedObject): boolean {
  return rowOf(kind).sleepsAs !== undefined
}

/** Dormouse leaves what is owned to its owner, and kube-green does. */
export function isOwned({ metadata }: Pick<ImportedObject, 'metadata'>): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false
}

/** Whether it has a number of replicas. */
export function hasCount({ kind }: Pick<ImportedObject, 'kind'>): boolean {
  return kind !== 'CronJob' && kind !== 'DaemonSet'
}

/** Keys that GoKubeDownscaler and py-kube-downscaler put into the nodeSelector of a DaemonSet. */
const MATCH_NONE = ['downscaler/match-none', 'kube-downscaler-non-existent'] as const

/** Whether nothing of it runs, or is started. */
export function isAtRest({ kind, spec }: ImportedObject): boolean {
  if (kind === 'CronJob') return spec?.suspend === true
  if (kind === 'DaemonSet') return matchNone(spec?.template?.spec?.nodeSelector).length > 0
  return spec?.replicas === 0
}

export function matchNone(selector: Readonly<Record<string, string>> = {}): string[] {
  return MATCH_NONE.filter((key) => key in selector)
}
