import { KIND_NAME, SCALABLE_KINDS, type WorkloadKey } from '../workload.ts'

export const PAUSE_ANNOTATION = {
  /** KEDA's: it stops, and leaves the count alone. A boolean; what is none counts as true. */
  paused: 'autoscaling.keda.sh/paused',
  /** KEDA's: it stops at this count. Its presence alone pauses. */
  pausedReplicas: 'autoscaling.keda.sh/paused-replicas',
  /** Ours, beside a `paused-replicas: "0"` that we set: the value which that had before, or empty. */
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
  /** These as they stand; undefined: absent. */
  readonly annotations: Readonly<Partial<Record<PauseAnnotation, string>>>
  /** Whether `metadata.annotations` exists at all: a JSON Patch needs to know. */
  readonly hasAnnotations: boolean
}

/** `shop/web` */
export function keyOfScaler({ namespace, name }: Pick<ScaledObject, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/** The workload that it scales, whether that exists or not; undefined: it is of no kind that Dormouse knows. */
export function targetOf({ namespace, target }: ScaledObject): WorkloadKey | undefined {
  const [group] = target.apiVersion.split('/')
  const kind = SCALABLE_KINDS.find((each) => KIND_NAME[each] === target.kind)
  return kind !== undefined && group === 'apps' ? { kind, namespace, name: target.name } : undefined
}

/** Whether it carries our mark: we paused it, or it is a copy of one that we paused. */
export function isMarked({ annotations }: ScaledObject): boolean {
  return annotations.mark !== undefined
}

/** Why KEDA is paused by others, as reasons tell it; undefined: it is not. */
export function pausedByOthers({ name, annotations }: ScaledObject): string | undefined {
  const { paused, pausedReplicas, mark } = annotations
  const says = (annotation: PauseAnnotation, value: string) =>
    `ScaledObject ${name} has ${PAUSE_ANNOTATION[annotation]}: ${JSON.stringify(value)}`
  if (paused !== undefined && !FALSE.has(paused)) return says('paused', paused)
  if (pausedReplicas === undefined) return undefined
  const isOurs = mark !== undefined && pausedReplicas === PAUSED_AT
  return isOurs ? undefined : says('pausedReplicas', pausedReplicas)
}

/** What Go's `strconv.ParseBool` reads as false. */
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'False', 'FALSE'])
