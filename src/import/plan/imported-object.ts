import { valueAt } from '../../domain/json-pointer.ts'
import { rowOf } from './kinds.ts'
import type { ImportedSpec, MergePatch } from './imported-spec.ts'

export type { EnvironmentSource, ImportedContainer, ImportedSpec, MergePatch } from './imported-spec.ts'

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
  readonly status?: { readonly readyReplicas?: number; readonly active?: readonly unknown[] }
  /** A ConfigMap's data, or a Secret's in base64. */
  readonly data?: Readonly<Record<string, string>>
}

/** The step of an import for one object, or the reason to do nothing. */
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
  /** A later patch, once its Namespace is annotated: it removes temporary annotations, which it now inherits. */
  readonly inherits?: MergePatch
  /** The last patch, once everything else is done: it removes what a repeated import would read. */
  readonly afterwards?: MergePatch
  /** The object is deleted, once everything else is done. */
  readonly goes?: true
}

/** A patch that sets annotations, or removes those that are null. */
export function annotating(annotations: MergePatch): MergePatch {
  return { metadata: { annotations } }
}

export function annotationsIn({ metadata }: MergePatch = {}): MergePatch {
  const annotations = typeof metadata === 'object' ? metadata?.['annotations'] : undefined
  return typeof annotations === 'object' ? (annotations ?? {}) : {}
}

/** `deployment shop/web` */
export function nameOf({ kind, metadata: { namespace, name } }: ImportedObject): string {
  return `${kind.toLowerCase()} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** Whether Dormouse puts its kind to sleep. */
export function canSleep({ kind }: ImportedObject): boolean {
  return rowOf(kind).sleepsAs !== undefined
}

/** Whether another object owns it: Dormouse and kube-green leave it to its owner. */
export function isOwned({ metadata }: Pick<ImportedObject, 'metadata'>): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false
}

/** Whether it has a number of replicas. */
export function hasCount({ kind }: Pick<ImportedObject, 'kind'>): boolean {
  return kind !== 'DaemonSet' && typeof (rowOf(kind).asleep?.[1] ?? 0) === 'number'
}

/** Its number of replicas, wherever its kind has it; undefined: none. */
export function countIn(object: ImportedObject): number | undefined {
  const count = hasCount(object)
    ? valueAt(object, rowOf(object.kind).asleep?.[0] ?? '/spec/replicas')
    : undefined
  return typeof count === 'number' ? count : undefined
}

/** Keys that GoKubeDownscaler and py-kube-downscaler put into the nodeSelector of a DaemonSet. */
const MATCH_NONE = ['downscaler/match-none', 'kube-downscaler-non-existent'] as const

/** Whether none of its pods run, or are started. */
export function isAtRest(object: ImportedObject): boolean {
  const { kind, spec } = object
  if (kind === 'DaemonSet') return matchNone(spec?.template?.spec?.nodeSelector).length > 0
  const [path, value] = rowOf(kind).asleep ?? ['/spec/replicas', 0]
  return valueAt(object, path) === value
}

export function matchNone(selector: Readonly<Record<string, string>> = {}): string[] {
  return MATCH_NONE.filter((key) => key in selector)
}
