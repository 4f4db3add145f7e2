import { isBuiltIn, KIND_NAME, resourceOf, SCALABLE_KINDS, type ConfiguredKind, type Kind } from '../kinds.ts'
import type { WorkloadKey } from '../workload/workload.ts'

export const PAUSE_ANNOTATION = {
  /** KEDA's: it stops, and leaves the count alone. A boolean; any other text counts as true. */
  paused: 'autoscaling.keda.sh/paused',
  /** KEDA's: it stops at this count. Its presence alone pauses. */
  pausedReplicas: 'autoscaling.keda.sh/paused-replicas',
  /** Ours, beside a `paused-replicas: "0"` that we set: the former value of that, or empty. */
  mark: 'dormouse.dev/paused',
} as const
export type PauseAnnotation = keyof typeof PAUSE_ANNOTATION
export const PAUSE_ANNOTATIONS = Object.keys(PAUSE_ANNOTATION) as readonly PauseAnnotation[]

/** The count at which KEDA pauses a sleeper. */
export const PAUSED_AT = '0'

/** A ScaledObject of KEDA, trimmed to what the rules need. Never changed in place. */
export interface ScaledObject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly deleting: boolean
  /** `spec.scaleTargetRef`, with KEDA's defaults. */
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string }
  readonly minReplicaCount: number
  /** These annotations, unparsed; undefined: absent. */
  readonly annotations: Readonly<Partial<Record<PauseAnnotation, string>>>
  /** Whether `metadata.annotations` exists at all: a JSON Patch needs to know. */
  readonly hasAnnotations: boolean
}

/** `shop/web` */
export function keyOfScaledObject({ namespace, name }: Pick<ScaledObject, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/** The cluster's `kind` of each configured kind; undefined: not known yet. */
export type ConfiguredNames = ReadonlyMap<ConfiguredKind, string | undefined>

export const NO_CONFIGURED_NAMES: ConfiguredNames = new Map()

/**
 * The workload that it targets, whether that exists or not. `unknown`: it may be of a configured kind, whose name the
 * cluster has not reported yet; undefined: Dormouse does not manage the kind. Like KEDA, it compares the group alone.
 */
export function targetOf(
  { namespace, target }: ScaledObject,
  names: ConfiguredNames = NO_CONFIGURED_NAMES,
): WorkloadKey | 'unknown' | undefined {
  const kinds = [...SCALABLE_KINDS, ...names.keys()].filter(
    (kind) => resourceOf(kind).group === groupOf(target),
  )
  const kind = kinds.find((each) => nameOf(each, names) === target.kind)
  if (kind !== undefined) return { kind, namespace, name: target.name }
  return kinds.some((each) => nameOf(each, names) === undefined) ? 'unknown' : undefined
}

/** A text that is the same for a ScaledObject and for the workload that it scales. */
export function targetText({ namespace, target }: Pick<ScaledObject, 'namespace' | 'target'>): string {
  return `${groupOf(target)}/${target.kind}/${namespace}/${target.name}`
}

/** That text of a workload; undefined: nothing can scale it, or nothing is known to. */
export function targetTextOf(
  { kind, namespace, name }: WorkloadKey,
  names: ConfiguredNames,
): string | undefined {
  if (isBuiltIn(kind) && !SCALABLE_KINDS.includes(kind)) return undefined
  const called = nameOf(kind, names)
  const { group } = resourceOf(kind)
  return called && targetText({ namespace, target: { apiVersion: `${group}/`, kind: called, name } })
}

function groupOf({ apiVersion }: ScaledObject['target']): string {
  return apiVersion.split('/')[0] ?? ''
}

function nameOf(kind: Kind, names: ConfiguredNames): string | undefined {
  return isBuiltIn(kind) ? KIND_NAME[kind] : names.get(kind)
}

/** Whether it carries our mark: we paused it, or it is a copy of one that we paused. */
export function isMarked({ annotations }: ScaledObject): boolean {
  return annotations.mark !== undefined
}

/** Why KEDA is paused by others, for reasons; undefined: it is not. */
export function pausedByOthers({ name, annotations }: ScaledObject): string | undefined {
  const { paused, pausedReplicas, mark } = annotations
  const says = (annotation: PauseAnnotation, value: string) =>
    `ScaledObject ${name} has ${PAUSE_ANNOTATION[annotation]}: ${JSON.stringify(value)}`
  if (paused !== undefined && !FALSE.has(paused)) return says('paused', paused)
  if (pausedReplicas === undefined) return undefined
  const isOurs = mark !== undefined && pausedReplicas === PAUSED_AT
  return isOurs ? undefined : says('pausedReplicas', pausedReplicas)
}

/** The texts that Go's `strconv.ParseBool` reads as false. */
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'False', 'FALSE'])
