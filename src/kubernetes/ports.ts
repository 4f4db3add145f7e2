import type { Companion } from '../domain/companions/companion.ts'
import type { PauseChange } from '../domain/companions/pause.ts'
import type { Namespace } from '../domain/policy/inheritance.ts'
import type { Change } from '../domain/workload/change.ts'
import type { ConfiguredKind } from '../domain/kinds.ts'
import type { ServiceCopy, SliceCopy } from '../domain/traffic/copies.ts'
import type { Slice, Waker } from '../domain/traffic/slices.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload/workload.ts'

/** The informer's copies of all workloads, except those that a controller owns. */
export interface Copies {
  /**
   * Whether the watch of this kind is connected, so that its copies are current: then a workload that is missing here
   * does not exist, or was created a moment ago.
   */
  isConnected(kind: Kind): boolean
  get(key: WorkloadKey): Workload | undefined
}

/** The same copies, with listing and change events. */
export interface Workloads extends Copies {
  /** Why a configured kind cannot be managed; undefined: nothing is known to be wrong with it. */
  faultOf?(kind: Kind): string | undefined
  /** All workloads, of one namespace or of one kind if given. */
  list(namespace?: string, kind?: Kind): Iterable<Workload>
  /** Calls the listener at each change, including our own writes. */
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
}

/** The same copies, with the state of their watches. */
export interface WatchedWorkloads extends Workloads {
  /** Calls the listener whenever `isConnected` changes. */
  onConnection(listener: (connected: boolean, kind: Kind) => void): void
  /**
   * Calls the listener when the cluster turns out to have been restored from a backup. The copies of the kind are
   * correct again, and its watch is not connected yet.
   */
  onRestored(listener: (kind: Kind) => void): void
}

/** All Namespaces, once they are known. */
export interface Namespaces {
  list(): Iterable<Namespace>
  onChange(listener: (before: Namespace | undefined, after: Namespace | undefined) => void): void
}

/** The informer's copies of what stands beside workloads, such as KEDA's ScaledObjects; keys are `resource/namespace/name`. */
export interface CompanionCopies {
  get(key: string): Companion | undefined
  list(): Iterable<Companion>
  /** A workload sleeps at more than 0: HorizontalPodAutoscalers are followed from now on. */
  need(): void
  /** All that stand beside this workload. */
  beside(workload: Workload): readonly Companion[]
  /**
   * The workloads beside which it stands, whether they exist or not; `unknown`: the cluster has not reported the kind yet.
   * `list`: the workloads of a namespace and a kind.
   */
  workloadsOf(
    companion: Companion,
    list: (namespace: string, kind: Kind) => Iterable<Workload>,
  ): readonly WorkloadKey[] | 'unknown'
  /** Whether the copies of a resource are current. */
  isConnected(resource: ConfiguredKind): boolean
  onChange(listener: (before: Companion | undefined, after: Companion | undefined) => void): void
  onConnection(listener: (connected: boolean) => void): void
}

/** Beside workloads, the leader follows these to wake on traffic. */
export type TrafficResource = 'services' | 'endpointslices'

/** The leader's copies of Services and EndpointSlices, without those of excluded namespaces. */
export interface TrafficCopies {
  /** Whether both watches are connected, so that copies are current. */
  readonly isCurrent: boolean
  /** Why they cannot be watched; undefined: nothing is known to be wrong. */
  readonly fault: string | undefined
  /** Those that are ready. */
  readonly wakers: readonly Waker[]
  service(namespace: string, name: string): ServiceCopy | undefined
  /** All, or those of a namespace. */
  services(namespace?: string): Iterable<ServiceCopy>
  /** Our own and others'. */
  slicesOf(namespace: string, service: string): readonly SliceCopy[]
  slices(): Iterable<SliceCopy>
  onService(listener: (before: ServiceCopy | undefined, after: ServiceCopy | undefined) => void): void
  onSlice(listener: (before: SliceCopy | undefined, after: SliceCopy | undefined) => void): void
  /** Calls the listener when `isCurrent` or `fault` may have changed. */
  onState(listener: () => void): void
}

/**
 * Writes EndpointSlices of ours, each by one call, and nothing that has changed since it was read.
 * @throws Refusal CONFLICT (the watch will deliver the change), CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, and the signals' reasons
 */
export interface SliceWriting {
  create(slice: Slice, stopping: Stopping): Promise<void>
  replace(standing: SliceCopy, slice: Slice, stopping: Stopping): Promise<void>
  /** A slice that is gone already is no error. */
  remove(standing: SliceCopy, stopping: Stopping): Promise<void>
}

/** The order in which the controller's writes are sent; wakes may be paced. A completion moves no pods. */
export type Priority = 'wake' | 'snooze' | 'completion'

/** Requests of the API go first; a follow-up belongs to a write that has already waited for its turn. */
export type WritePriority = 'request' | 'follow-up' | Priority

/** `signal` cancels waits and reads; `cut` also aborts writes in flight, which may have been applied by then. */
export interface Stopping {
  readonly signal?: AbortSignal
  readonly cut?: AbortSignal
}

export interface WriteOptions extends Stopping {
  readonly priority: WritePriority
  /** The copy to plan on first, instead of the informer's. */
  readonly from?: Workload
  /** If a plan refuses or changes nothing on the informer's copy, plan again on a live read. */
  readonly verify?: boolean
}

export interface Written<P> {
  readonly plan: P
  readonly workload: Workload
  readonly wrote: boolean
}

export interface LiveReader {
  /**
   * One live read; undefined: the workload does not exist.
   * @throws Refusal CLUSTER_UNAVAILABLE, CLUSTER_REJECTED
   */
  read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined>
}

export interface Writer {
  /**
   * Plans on the newest copy and writes one patch, planning again while its precondition fails.
   * @throws Refusal NOT_FOUND, CONFLICT, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, errors of `plan`, and the signals'
   * reasons
   */
  write<P extends { readonly change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: WriteOptions,
  ): Promise<Written<P>>
}

/** The rate limit of all writes, which includes requests of the API; these go first. */
export interface Pace {
  /** Whether the last write of this key was slow: slow keys share a lane, so that they delay no others. */
  isSlow(key: string): boolean
  /** Whether a write of this priority would be sent at once; `slow`: in the slow keys' lane. */
  hasRoom(priority: Priority, slow: boolean): boolean
  /** Calls the listener when there may be room again after `hasRoom` returned false. */
  onRoom(listener: () => void): void
}

/**
 * Writes a companion's pause by one patch whose precondition is everything that the change depends on.
 * @throws Refusal CONFLICT, NOT_FOUND, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, and the signals' reasons
 */
export interface Pauser {
  pause(companion: Companion, change: PauseChange, stopping: Stopping): Promise<void>
}

/** Kubernetes Events on a workload, or on another object. */
export interface Recorder {
  record(subject: Workload | EventSubject, type: EventType, reason: EventReason, message: string): void
}

export type EventType = 'Normal' | 'Warning'

/** An object other than a workload; Events on a cluster-scoped one belong in `default`. */
export interface EventSubject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly reference: { readonly apiVersion: string; readonly kind: string; readonly name: string }
}

export type EventReason =
  | 'Snoozed'
  | 'Woken'
  | 'SnoozeFailed'
  | 'WakeFailed'
  | 'WakeTimedOut'
  | 'ManualScaling'
  | 'PinEnforced'
  | 'OverrideExpired'
  | 'BackoffStarted'
  | 'InvalidSchedule'
  | 'InvalidSetting'
  | 'InvalidState'
  | 'StateNotSigned'
  | 'StatesAdopted'
  | 'DataAtRisk'
  | 'TooManyWrites'
  | 'OtherWriter'
  | 'NoWakeOnTraffic'
  | 'PauseFailed'
  | 'RequestIgnored'
  | 'WebhookProven'
  | 'WebhookUnproven'

/** The user of a request, as the API server identifies them (`authentication.k8s.io/v1` UserInfo). */
export interface ClusterUser {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** A SubjectAccessReview's resourceAttributes; without a namespace: in all namespaces. */
export interface ResourceAccess {
  readonly group: string
  readonly verb: 'get' | 'list' | 'patch' | 'update'
  readonly resource: string
  readonly subresource?: 'scale'
  readonly namespace?: string
  readonly name?: string
}

/** The cluster's own reviews of tokens and rights. Any error means that it did not answer. */
export interface Reviews {
  /** Undefined: the cluster does not accept the token for any of the audiences. */
  authenticate(token: string, audiences: readonly string[]): Promise<ClusterUser | undefined>
  authorize(user: ClusterUser, access: ResourceAccess): Promise<boolean>
}

/** The `spec` of a `coordination.k8s.io/v1` Lease; times are RFC 3339 with microseconds. */
export interface LeaseRecord {
  /** Empty: the Lease is free. */
  readonly holder: string
  readonly durationSeconds: number | undefined
  readonly acquireTime: string | undefined
  readonly renewTime: string | undefined
  /** How often it changed holders. */
  readonly transitions: number
}

/** A Lease as it was read or written. */
export interface Lease {
  readonly record: LeaseRecord
  /** Replaces exactly this version; undefined: the Lease was changed or deleted meanwhile. */
  update(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

/** One Lease. Reads see every earlier write; a call that rejects may or may not have been carried out. */
export interface LeaseStore {
  /** Whether a Lease that does not exist may be created. */
  readonly creatable: boolean
  /** undefined: it does not exist. */
  read(signal: AbortSignal): Promise<Lease | undefined>
  /** undefined: another candidate created it first. */
  create(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

/** A Secret's data, decoded. */
export type SecretData = Readonly<Record<string, string>>

export interface StoredSecret {
  readonly data: SecretData
  readonly resourceVersion: string
}

/**
 * One Secret. Writes return what is stored now, or `conflict` if somebody else wrote first: then read it again. All
 * calls throw when the cluster refuses or does not answer.
 */
export interface SecretStore {
  /** undefined: there is none. */
  read(): Promise<StoredSecret | undefined>
  create(data: SecretData): Promise<StoredSecret | 'conflict'>
  /** Replaces the whole data of exactly that version. */
  update(data: SecretData, resourceVersion: string): Promise<StoredSecret | 'conflict'>
  /**
   * Calls the listener with the Secret as it is and after every change, never with a version older than one that was
   * read or written here; undefined: it was deleted. Resolves when the signal is aborted, and never rejects.
   */
  watch(listener: (secret: StoredSecret | undefined) => void, signal: AbortSignal): Promise<void>
}

/** Observes our calls to the cluster; the composition root turns them into metrics. */
export interface KubernetesObserver {
  /** One answered or failed call; `code` is the HTTP status, 0: no answer. */
  request(verb: string, resource: string, code: number, seconds: number): void
  watchRestarted(kind: Kind | 'namespaces' | TrafficResource, reason: string): void
  eventDropped(): void
  /** A listener of the informer threw. */
  listenerFailed(): void
}
