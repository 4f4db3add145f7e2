import type { ImportedObject, ImportedSpec } from './imported-object.ts'
import type { SleepTimes } from './sleep-info.ts'

/** A SleepInfo of kube-green, `kube-green.com/v1alpha1`. */
export interface SleepInfo extends ImportedObject {
  readonly spec: SleepInfoSpec
}

interface SleepInfoSpec extends ImportedSpec, SleepTimes {
  readonly suspendDeployments?: boolean
  readonly suspendStatefulSets?: boolean
  readonly suspendCronJobs?: boolean
  readonly includeRef?: readonly Ref[]
  readonly excludeRef?: readonly Ref[]
  readonly patches?: readonly { readonly target: { readonly group: string; readonly kind: string } }[]
}

type Ref =
  | {
      readonly apiVersion: string
      readonly kind: string
      readonly name: string
      readonly matchLabels?: undefined
    }
  | { readonly matchLabels: Readonly<Record<string, string>>; readonly name?: undefined }

export function isSleepInfo(object: ImportedObject): object is SleepInfo {
  return object.kind === 'SleepInfo' && object.apiVersion.startsWith('kube-green.com/')
}

/** Whether it puts this kind to sleep at all. */
export function isOfKind({ spec }: SleepInfo, { kind }: ImportedObject): boolean {
  switch (kind) {
    case 'Deployment':
      return spec.suspendDeployments ?? true
    case 'StatefulSet':
      return spec.suspendStatefulSets ?? true
    case 'CronJob':
      return spec.suspendCronJobs ?? false
    default:
      return false
  }
}

/** Whether a patch of its own stands for what it does with this kind. */
export function hasPatch({ spec }: SleepInfo, { kind }: ImportedObject): boolean {
  return spec.patches?.some(({ target }) => target.kind === kind) ?? false
}

/**
 * Whether its references leave this workload in. All that include must hold, so that two names of one kind leave nothing
 * in; a name limits its own kind alone (seen of kube-green 0.7.1).
 */
export function isChosen({ spec }: SleepInfo, object: ImportedObject): boolean {
  if (spec.excludeRef?.some((ref) => isReferred(ref, object))) return false
  return (spec.includeRef ?? []).every((ref) => !concerns(ref, object) || isReferred(ref, object))
}

function concerns(ref: Ref, { apiVersion, kind }: ImportedObject): boolean {
  return ref.matchLabels !== undefined || (ref.apiVersion === apiVersion && ref.kind === kind)
}

function isReferred(ref: Ref, object: ImportedObject): boolean {
  if (!concerns(ref, object)) return false
  if (ref.matchLabels === undefined) return ref.name === object.metadata.name
  return Object.entries(ref.matchLabels).every(([name, value]) => object.metadata.labels?.[name] === value)
}
