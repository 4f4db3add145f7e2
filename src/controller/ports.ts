import type { Change } from '../domain/patch.ts'
import type { OperationResult, OperationType, Trigger } from '../domain/state.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'

/** In this order writes go out, whoever asks for them. */
export type Priority = 'wake' | 'snooze' | 'completion'

/** The informer's copies; `onChange` tells of each change as it is noticed, our own writes included. */
export interface Workloads {
  get(key: WorkloadKey): Workload | undefined
  list(): Iterable<Workload>
  onChange(listener: (before: Workload | undefined, after: Workload | undefined) => void): void
  /** Whether its copies of this kind are current: the watch stands. */
  isConnected(kind: Kind): boolean
  /** Tells whenever that changes. */
  onConnection(listener: (kind: Kind, connected: boolean) => void): void
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

/** Who was seen to scale by hand; undefined: nobody was, and what is written names the client alone. */
export interface Scalings {
  scaledBy(workload: Workload): string | undefined
}

/** How what is in work is ended: at first what waits or reads, then a write that was sent, too. */
export interface Stopping {
  readonly signal?: AbortSignal
  readonly cut?: AbortSignal
}

/** Kubernetes Events on a workload. */
export interface Recorder {
  record(workload: Workload, type: 'Normal' | 'Warning', reason: EventReason, message: string): void
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
  | 'InvalidState'
  | 'DataAtRisk'
  | 'TooManyWrites'

/** What is counted; durations in seconds. */
export interface Observer {
  operation(type: OperationType, trigger: Trigger, kind: Kind, result: OperationResult): void
  operationDuration(type: OperationType, kind: Kind, seconds: number): void
  scheduleLag(seconds: number): void
  queueDepth(depth: number): void
  queueWait(seconds: number): void
  /** A workload was written too often, and what is due of it has to wait. */
  writeWithheld(kind: Kind): void
  /** A fault of ours over one workload. */
  decidingFailed(): void
}
