import type { Clock, Later, Monotonic } from '../process/clock.ts'
import type { Namespace } from '../../domain/policy/inheritance.ts'
import type { PauseChange } from '../../domain/autoscaling/pause.ts'
import type { ScaledObject } from '../../domain/autoscaling/scaled-object.ts'
import type { Change } from '../../domain/workload/patch.ts'
import type { Open, OperationResult, OperationType, Trigger } from '../../domain/workload/state.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'

export interface ControllerPorts {
  readonly workloads: Workloads
  /** undefined: nobody tells what is wrong with their annotations. */
  readonly namespaces?: Namespaces | undefined
  readonly writer: Writer
  readonly pace: Pace
  /** undefined: there is no webhook that could have seen any. */
  readonly scalings?: Scalings | undefined
  /** undefined: KEDA is left to itself. */
  readonly autoscaling?: Autoscaling | undefined
  readonly recorder: Recorder
  readonly observer: Observer
  readonly clock: Clock
  readonly logger: Logger
  /** Default: the system's. */
  readonly monotonic?: Monotonic
  /** Default: the system's timeouts. */
  readonly later?: Later
}

export interface ControllerSettings {
  readonly concurrency: number
  /** A minute; edges apart. */
  readonly writesPerWorkload: number
  readonly excludeNamespaces: ReadonlySet<string>
  /** Milliseconds that writes which were sent may take when it stops; default 2,000. */
  readonly stopWithin?: number
}

/** In this order writes are sent. A completion moves no pods. */
export type Priority = 'wake' | 'snooze' | 'completion'

/** The informer's copies of all workloads. */
export interface Workloads {
  get(key: WorkloadKey): Workload | undefined
  /** Of a namespace, or all. */
  list(namespace?: string): Iterable<Workload>
  /** The listener is called at each change, our own writes included. */
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
  /** Whether the watch of this kind is connected, so that its copies are current. */
  isConnected(kind: Kind): boolean
  /** The listener is called whenever that changes. */
  onConnection(listener: (kind: Kind, connected: boolean) => void): void
  /**
   * The listener is called when the cluster turns out to have been restored from a backup. The copies of the kind are
   * right again, and its watch is not connected yet.
   */
  onRestored(listener: (kind: Kind) => void): void
}

/**
 * Plans on the newest copy and writes one patch, planning anew while its precondition fails.
 * @throws Refusal NOT_FOUND, CONFLICT, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, what `plan` throws, and the
 * signals' reasons
 */
export interface Writer {
  write<P extends { change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: { priority: Priority } & Stopping,
  ): Promise<{ plan: P; workload: Workload; wrote: boolean }>
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

/** The user who was seen scaling by hand; undefined: the webhook saw nobody, so the field manager names the client. */
export interface Scalings {
  scaledBy(workload: Workload): string | undefined
}

export interface Autoscaling {
  readonly scaledObjects: ScaledObjects
  readonly pauser: Pauser
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

/**
 * Writes a ScaledObject's pause by one patch whose precondition is what the change rests on.
 * @throws Refusal CONFLICT, NOT_FOUND, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, and the signals' reasons
 */
export interface Pauser {
  pause(scaler: ScaledObject, change: PauseChange, stopping: Stopping): Promise<void>
}

/** `signal` cancels waits and reads; `cut` also aborts writes in flight. */
export interface Stopping {
  readonly signal?: AbortSignal
  readonly cut?: AbortSignal
}

/** All Namespaces, once they are known. */
export interface Namespaces {
  list(): Iterable<Namespace>
  onChange(listener: (before: Namespace | undefined, after: Namespace | undefined) => void): void
}

/** An object that is no workload; Events on one without a namespace belong in `default`. */
export interface EventSubject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly reference: { readonly apiVersion: string; readonly kind: string; readonly name: string }
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

/** The controller's metrics; durations in seconds. */
export interface Observer {
  operation(type: OperationType, trigger: Open<Trigger>, kind: Kind, result: Open<OperationResult>): void
  operationDuration(type: OperationType, kind: Kind, seconds: number): void
  scheduleLag(seconds: number): void
  queueDepth(depth: number): void
  queueWait(seconds: number): void
  /** A write that is due waits, because its workload was written too often. */
  writeWithheld(kind: Kind): void
  /** Our own code failed over one workload. */
  decidingFailed(): void
}
