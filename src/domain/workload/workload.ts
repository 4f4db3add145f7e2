import type { Instant } from '../../process/clock.ts'
import { ASLEEP_LABEL, type AnnotationName } from '../annotations.ts'
import { isKind, MAX_REPLICAS, typeOf, type Kind, type Owner } from '../kinds.ts'
import type { Position, Sleeping } from '../sleeping/form.ts'
import { formOf, isFollowed, sleepingOf } from '../sleeping/forms.ts'
import type { Trouble } from './trouble.ts'

export * from '../annotations.ts'
export {
  KIND_NAME,
  KINDS,
  MAX_REPLICAS,
  SCALABLE_KINDS,
  TYPE_OF,
  isKind,
  type BuiltInKind,
  type Kind,
  type Owner,
} from '../kinds.ts'

/** The label of the leader's probe of the webhook, and of the webhook's answer. */
export const PROBE_LABEL = 'dormouse.dev/probe'
export function probeAnswer(nonce: string): string {
  return `Dormouse: the webhook is reached (${nonce})`
}

export interface WorkloadKey {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
}

/** The field manager of `spec.replicas`, by managedFields; a manager is the name that the client gave itself. */
export interface ReplicasManager {
  readonly manager: string
  readonly subresource: string | undefined
  /** By a server-side apply of a manifest. */
  readonly applies?: true
}

/** One pod's resource requests: cores and bytes. */
export interface Requests {
  readonly cpu: number
  readonly memory: number
}

/** Pods as the workload's status counts them. */
export interface Pods {
  /** All that exist (DaemonSet: on nodes that they belong on or not). */
  readonly existing: number
  readonly ready: number
  /** `status.observedGeneration`, 0 before the first status. */
  readonly observedGeneration: number
  /** When the controller manager last wrote the status, to the second; undefined: it has not yet. */
  readonly updatedAt?: Instant
  /** When this process observed that the pods had followed the spec; undefined: it has not. */
  readonly followedAt?: Instant
  /** The same for an earlier spec, or earlier pods, since our state was last written. */
  readonly followedBefore?: Instant
  /** The words of the workload's own conditions about pods that do not come; undefined: none. */
  readonly trouble?: Trouble
}

/** Facts about a workload of a configured kind. */
export interface Configured {
  readonly apiVersion: string
  readonly kind: string
  readonly sleeping: Sleeping
  /** The Deployment whose pods it makes in place of that (`spec.workloadRef` of an Argo Rollout). */
  readonly scales?: string | undefined
}

/** A workload, trimmed to what the rules need. Never changed in place. */
export interface Workload extends WorkloadKey, Position {
  readonly uid: string
  readonly resourceVersion: string
  readonly generation: number
  readonly createdAt: Instant
  readonly deleting: boolean
  /** The controller owner (a Deployment of a ReplicaSet, an operator's resource), if any. */
  readonly owner: Owner | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
  /** Our annotations, unparsed; undefined: absent. */
  readonly annotations: Readonly<Partial<Record<AnnotationName, string>>>
  /** Whether `metadata.annotations` exists at all: a JSON Patch needs to know. */
  readonly hasAnnotations: boolean
  /** Bytes of all other annotations, keys and values: the API server bounds their sum with ours. */
  readonly otherAnnotationBytes: number
  /** The count that another tool recorded on it, unparsed; undefined: none. */
  readonly keptByOther?: string | undefined
  /** A ReplicaSet that a Deployment made: it carries copies of the Deployment's annotations. */
  readonly formerRevision: boolean
  /** A StatefulSet whose volumes are deleted when it is scaled down. */
  readonly deletesVolumes: boolean
  /** A StatefulSet's `persistentVolumeClaimRetentionPolicy.whenScaled` other than Delete; undefined: absent. */
  readonly keepsVolumesBy?: string
  /** DaemonSet: whether the pod template's nodeSelector exists. */
  readonly hasNodeSelector: boolean
  /** DaemonSet: the value of our key in it, which is `true` unless others wrote it; undefined: the key is not there. */
  readonly snoozeKey: string | undefined
  /** `spec.replicas`; DaemonSet: `status.desiredNumberScheduled`; CronJob: 0 while it is suspended, else 1. */
  readonly replicas: number
  readonly pods: Pods
  readonly replicasManager: ReplicasManager | undefined
  /** The count in the manifest that kubectl applied last; undefined: in none, or it does not sleep. */
  readonly manifestCount?: number | undefined
  /** The user who set the count by hand, as history names users; known where this replica's webhook reviewed it. */
  readonly scaledBy?: string | undefined
  /** Whether the API server keeps its managedFields: it stops for an object whose list somebody has emptied. */
  readonly tracksOwners?: boolean | undefined
  /** The entry in managedFields by which we own the count (DaemonSet: the nodeSelector); undefined: we do not. */
  readonly ownReplicasEntry: number | undefined
  readonly requests: Requests
  /** The labels of its pods; undefined: not kept, since no traffic wakes anything. */
  readonly podLabels?: Readonly<Record<string, string>> | undefined
  /** Only for a configured kind: facts from the cluster and the configuration. */
  readonly configured?: Configured
  /** CronJob: when it last started a Job; undefined: never. */
  readonly lastScheduleTime?: Instant | undefined
}

/**
 * Orders two resourceVersions: negative where `a` is older, 0 where they are equal. They are decimal integers
 * without bounds (KEP-5504), so they are not read as numbers.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Whether the first of two versions of one object is the older. */
export function isOlder(a: Versioned, b: Versioned): boolean {
  return compareVersions(a.resourceVersion, b.resourceVersion) < 0
}
type Versioned = Pick<Workload, 'resourceVersion'>

export function keyOf({ kind, namespace, name }: WorkloadKey): string {
  return `${kind}/${namespace}/${name}`
}

/** The inverse of `keyOf`; throws TypeError on what `keyOf` did not make. */
export function parseKey(key: string): WorkloadKey {
  const [kind, namespace, name] = key.split('/')
  if (!kind || !isKind(kind) || !namespace || !name) throw new TypeError(`not a workload key: ${key}`)
  return { kind, namespace, name }
}

/** The workload of a namespace that a text such as `deployments/web` names; undefined: it names none. */
export function keyWithin(namespace: string, text: string): WorkloadKey | undefined {
  const [kind = '', name = '', ...more] = text.split('/')
  return isKind(kind) && name !== '' && more.length === 0 ? { kind, namespace, name } : undefined
}

/** The workload's path in the API, for messages. */
export function pathOf({ kind, namespace, name }: WorkloadKey): string {
  return `/api/v1/namespaces/${namespace}/${kind}/${name}`
}

/** The JSON pointer to the field that puts it to sleep. */
export function fieldOf(workload: Workload): string {
  return sleepingOf(workload).field
}

/** Whether the spec asks for pods, or for Jobs: a DaemonSet's without the key, all others by the count. */
export function wantsPods(workload: Workload): boolean {
  return isAbove(workload, 0)
}

/** Whether it is as a sleep with this count leaves it, whoever left it so. Whether it sleeps, the state says: `isAtRest`. */
export function looksAsleep(workload: Workload, rest: number): boolean {
  return !isAbove(workload, rest)
}

function isAbove(workload: Workload, count: number): boolean {
  return workload.snoozeKey === undefined && (workload.replicas > count || !formOf(workload).countInSpec)
}

/** Whether the scale subresource set its count: `kubectl scale`, or an autoscaler. */
export function isScaled({ replicasManager }: Workload): boolean {
  return replicasManager?.subresource === 'scale'
}

/**
 * The fault of its count; undefined: none. A configured kind's definition may allow any number, and the state cannot
 * store all.
 */
export function countFault({ replicas }: Pick<Workload, 'replicas'>): string | undefined {
  if (Number.isInteger(replicas) && replicas >= 0 && replicas <= MAX_REPLICAS) return undefined
  return `its count is ${replicas}, and only a whole number from 0 to ${MAX_REPLICAS} can be kept`
}

/** The present desired count; a DaemonSet with the key desires none. */
export function currentReplicas(workload: Workload): number {
  return workload.snoozeKey === undefined ? workload.replicas : 0
}

/**
 * Whether all pods follow the spec: its controller has observed the newest generation, and all are ready, or, of what
 * sleeps or wants none, no more are left than it asks for. A CronJob has none: the Jobs that it has started finish while
 * it sleeps.
 */
export function podsFollowed(workload: Workload): boolean {
  const { pods, generation, labels } = workload
  if (!isFollowed(workload)) return true
  if (pods.observedGeneration < generation) return false
  const isToRun = wantsPods(workload) && labels?.[ASLEEP_LABEL] === undefined
  return isToRun ? pods.ready >= workload.replicas : pods.existing <= currentReplicas(workload)
}

/** A workload as messages name it: `deployment shop/web`. */
export function nameOf({ kind, namespace, name }: WorkloadKey): string {
  return `${typeOf(kind)} ${namespace}/${name}`
}

/** An owner as messages name it: `Deployment web`. */
export function ownedBy({ kind, name }: Owner): string {
  return `${kind} ${name}`
}
