import type { PauseChange } from '../domain/autoscaling/pause.ts'
import type { ScaledObject } from '../domain/autoscaling/scaled-object.ts'
import type { Namespace } from '../domain/policy/inheritance.ts'
import type { Change } from '../domain/workload/patch.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload/workload.ts'

/** The informer's copies of all workloads, except those that a controller owns. */
export interface Copies {
  /**
   * Whether the watch of this kind is connected, so that its copies are current: then a workload that is not here does
   * not exist, or was created a moment ago.
   */
  isConnected(kind: Kind): boolean
  get(key: WorkloadKey): Workload | undefined
}

/** The same, to be looked through and followed. */
export interface Workloads extends Copies {
  /** Why a configured kind cannot be managed; undefined: nothing is known to be wrong with it. */
  faultOf?(kind: Kind): string | undefined
  /** Of a namespace, of a kind, or all. */
  list(namespace?: string, kind?: Kind): Iterable<Workload>
  /** The listener is called at each change, our own writes included. */
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
}

/** The same, with how their watches fare. */
export interface WatchedWorkloads extends Workloads {
  /** The listener is called whenever `isConnected` changes. */
  onConnection(listener: (kind: Kind, connected: boolean) => void): void
  /**
   * The listener is called when the cluster turns out to have been restored from a backup. The copies of the kind are
   * right again, and its watch is not connected yet.
   */
  onRestored(listener: (kind: Kind) => void): void
}

/** All Namespaces, once they are known. */
export interface Namespaces {
  list(): Iterable<Namespace>
  onChange(listener: (before: Namespace | undefined, after: Namespace | undefined) => void): void
}

/** The informer's copies of KEDA's ScaledObjects; keys are `namespace/name`. */
export interface ScaledObjects {
  get(key: string): ScaledObject | undefined
  list(): Iterable<ScaledObject>
  /** Those that scale this workload. */
  ofTarget(workload: WorkloadKey): readonly ScaledObject[]
  /**
   * The workload that it scales, whether that exists or not; `unknown`: the cluster has not told yet; undefined: it is of
   * no kind that Dormouse manages.
   */
  targetOf(scaler: ScaledObject): WorkloadKey | 'unknown' | undefined
  /** Whether the copies are current. */
  readonly isConnected: boolean
  onChange(listener: (before: ScaledObject | undefined, after: ScaledObject | undefined) => void): void
  onConnection(listener: (connected: boolean) => void): void
}

/** In this order the controller's writes are sent; wakes may be paced. A completion moves no pods. */
export type Priority = 'wake' | 'snooze' | 'completion'

/** Requests of the API go first; a follow-up belongs to a write that has waited for its turn. */
export type WritePriority = 'request' | 'follow-up' | Priority

/** `signal` cancels waits and reads; `cut` also aborts writes in flight, which may have been applied then. */
export interface Stopping {
  readonly signal?: AbortSignal
  readonly cut?: AbortSignal
}

export interface WriteOptions extends Stopping {
  readonly priority: WritePriority
  /** The copy to plan on first, instead of the informer's. */
  readonly from?: Workload
  /** A plan that refuses or changes nothing on the informer's copy is made again on a live read. */
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
   * Plans on the newest copy and writes one patch, planning anew while its precondition fails.
   * @throws Refusal NOT_FOUND, CONFLICT, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, what `plan` throws, and the
   * signals' reasons
   */
  write<P extends { readonly change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: WriteOptions,
  ): Promise<Written<P>>
}

/** The rate of all writes, which requests of the API share and go first in. */
export interface Pace {
  /** Whether the last write of this key was slow: such keys share a lane, so that they hold up no others. */
  isSlow(key: string): boolean
  /** Whether a write of this priority would be sent at once, in that lane or beside it. */
  hasRoom(priority: Priority, slow: boolean): boolean
  /** The listener is called when there may be room again after `hasRoom` said no. */
  onRoom(listener: () => void): void
}

/**
 * Writes a ScaledObject's pause by one patch whose precondition is what the change rests on.
 * @throws Refusal CONFLICT, NOT_FOUND, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, and the signals' reasons
 */
export interface Pauser {
  pause(scaler: ScaledObject, change: PauseChange, stopping: Stopping): Promise<void>
}

/** Kubernetes Events on a workload, or on another object. */
export interface Recorder {
  record(
    subject: Workload | EventSubject,
    type: 'Normal' | 'Warning',
    reason: EventReason,
    message: string,
  ): void
}

/** An object that is no workload; Events on one without a namespace belong in `default`. */
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
  | 'ManualScaling'
  | 'PinEnforced'
  | 'OverrideExpired'
  | 'BackoffStarted'
  | 'InvalidSchedule'
  | 'InvalidSetting'
  | 'InvalidState'
  | 'DataAtRisk'
  | 'TooManyWrites'
  | 'OtherWriter'
  | 'PauseFailed'
  | 'RequestIgnored'

/** Who makes a request, as the API server knows them (`authentication.k8s.io/v1` UserInfo). */
export interface ClusterUser {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** A SubjectAccessReview's resourceAttributes; no namespace: in all of them. */
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
  /** Empty: nobody holds it. */
  readonly holder: string
  readonly durationSeconds: number | undefined
  readonly acquireTime: string | undefined
  readonly renewTime: string | undefined
  /** How often it went from one holder to another. */
  readonly transitions: number
}

/** A Lease as it was read or written. */
export interface Lease {
  readonly record: LeaseRecord
  /** Replaces exactly this version; undefined: the Lease was changed or deleted meanwhile. */
  update(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

/** One Lease. Reads see every write before them; a call that rejects may or may not have been carried out. */
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
 * One Secret. Writes return what is stored now, or `conflict` when somebody else wrote first: read it again then.
 * All throw when the cluster refuses or does not answer.
 */
export interface SecretStore {
  /** undefined: there is none. */
  read(): Promise<StoredSecret | undefined>
  create(data: SecretData): Promise<StoredSecret | 'conflict'>
  /** Replaces the whole data of exactly that version. */
  update(data: SecretData, resourceVersion: string): Promise<StoredSecret | 'conflict'>
  /**
   * Calls back with the Secret as it is and after every change, never with a version older than one that was read
   * or written here; undefined: it was deleted. Resolves when the signal is aborted, and never rejects.
   */
  watch(listener: (secret: StoredSecret | undefined) => void, signal: AbortSignal): Promise<void>
}

/** What becomes known of our calls to the cluster; the composition root turns it into metrics. */
export interface KubernetesObserver {
  /** One answered or failed call; `code` is the HTTP status, 0: no answer. */
  request(verb: string, resource: string, code: number, seconds: number): void
  watchRestarted(kind: Kind | 'namespaces', reason: string): void
  eventDropped(): void
  /** A listener of the informer threw. */
  listenerFailed(): void
}
