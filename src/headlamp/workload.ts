import { ANNOTATION, ANNOTATION_NAMES, SNOOZE_KEY } from '../domain/annotations.ts'
import { apiVersionOf, hasKey, KIND_NAME, KINDS, sleepsSuspended } from '../domain/kinds.ts'
import type { BuiltInKind, Owner } from '../domain/kinds.ts'
import { troubleIn } from '../domain/workload/trouble.ts'
import type { Workload } from '../domain/workload/workload.ts'

/** The fields of an object that are read here. */
export interface KubernetesFields {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: Readonly<Record<'name' | 'namespace' | 'uid' | 'creationTimestamp', string>> & {
    readonly generation?: number
    readonly deletionTimestamp?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly (Owner & { readonly controller?: boolean })[]
  }
  readonly spec?: {
    readonly replicas?: number
    readonly suspend?: boolean
    readonly template?: { readonly spec?: { readonly nodeSelector?: Readonly<Record<string, string>> } }
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenScaled?: string }
  }
  readonly status?: Readonly<Record<string, unknown>>
}

/** For Deployment, StatefulSet, DaemonSet and CronJob; most ReplicaSets have an owner, which is asked in their place. */
export function kindOfObject({ kind, apiVersion }: KubernetesFields): BuiltInKind | undefined {
  const found = KINDS.find((each) => KIND_NAME[each] === kind && apiVersionOf(each) === apiVersion)
  return found === 'replicasets' ? undefined : found
}

/** Only writes rest on these. */
const ROOM = { resourceVersion: '', hasAnnotations: true, otherAnnotationBytes: 0, hasNodeSelector: true }
const OWNERS = { formerRevision: false, replicasManager: undefined, ownReplicasEntry: undefined }

/** The object as the rules read it. */
export function workloadOf(kind: BuiltInKind, { metadata, spec, status = {} }: KubernetesFields): Workload {
  const { annotations = {}, labels, namespace, name, uid, generation = 0 } = metadata
  const identity = { kind, namespace, name, uid, generation, labels }
  // Each kind has its own of these fields.
  const count = (...fields: string[]) => fields.reduce((sum, field) => sum + Number(status[field] ?? 0), 0)
  const runs = spec?.suspend === true ? 0 : 1
  const scheduled = hasKey(kind) ? count('desiredNumberScheduled') : (spec?.replicas ?? 1)
  const trouble = troubleIn(status['conditions'])
  const pods = {
    existing: count('replicas', 'currentNumberScheduled', 'numberMisscheduled'),
    ready: count('readyReplicas', 'numberReady'),
    observedGeneration: count('observedGeneration'),
    ...(trouble && { trouble }),
  }
  const own = ANNOTATION_NAMES.map((key) => [key, annotations[ANNOTATION[key]]])
  return {
    ...identity,
    ...ROOM,
    ...OWNERS,
    requests: { cpu: 0, memory: 0 },
    createdAt: Date.parse(metadata.creationTimestamp),
    deleting: metadata.deletionTimestamp !== undefined,
    owner: metadata.ownerReferences?.find(({ controller }) => controller === true),
    annotations: Object.fromEntries(own.filter(([, text]) => text !== undefined)),
    deletesVolumes: spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
    snoozeKey: hasKey(kind) ? spec?.template?.spec?.nodeSelector?.[SNOOZE_KEY] : undefined,
    ...(sleepsSuspended(kind)
      ? { replicas: runs, pods: { existing: runs, ready: runs, observedGeneration: generation } }
      : { replicas: scheduled, pods }),
  }
}
