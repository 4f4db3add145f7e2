import type { Clock, Later, Monotonic } from '../../process/clock.ts'
import type { Evaluations } from '../evaluating/ports.ts'
import type {
  CompanionCopies,
  Namespaces,
  Pace,
  Pauser,
  Recorder,
  SliceWriting,
  TrafficCopies,
  WatchedWorkloads,
  Writer,
} from '../../kubernetes/ports.ts'
import type { OperationResult } from '../../domain/workload/state.ts'
import type { Open, OperationType, Trigger } from '../../domain/workload/trigger.ts'
import type { PortRange } from '../../domain/traffic/port-ledger.ts'
import type { OwnerReference, SliceStyle } from '../../domain/traffic/slices.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import type { Logger } from '../../process/logger.ts'

export interface ControllerPorts {
  readonly workloads: WatchedWorkloads
  /** undefined: nobody reports faults of their annotations. */
  readonly namespaces?: Namespaces | undefined
  readonly evaluations: Evaluations
  readonly writer: Writer
  readonly pace: Pace
  /** undefined: no webhook runs that could see any. */
  readonly scalings?: Scalings | undefined
  /** undefined: nothing is paused beside sleepers. */
  readonly pausing?: PausingPorts | undefined
  /** undefined: no traffic wakes anything. */
  readonly slicing?: SlicingPorts | undefined
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

/** The user whose manual scaling the webhook saw; undefined: none, so the field manager names the client. */
export interface Scalings {
  scaledBy(workload: Workload): string | undefined
}

export interface SlicingPorts {
  readonly copies: TrafficCopies
  readonly writer: SliceWriting
  readonly range: PortRange
  readonly endpoints: SliceStyle['endpoints']
  /** Resolves with the owner of all slices; undefined: they get none. Rejects with the signal's reason alone. */
  readonly owner: (signal: AbortSignal) => Promise<OwnerReference | undefined>
  /** Why traffic cannot wake workloads, by their keys; decisions read it. */
  readonly faults: Map<string, string>
  /** Has a workload decided again: what is said of it has changed. */
  readonly due: (workload: WorkloadKey) => void
}

export interface PausingPorts {
  readonly companions: CompanionCopies
  readonly pauser: Pauser
}

export type SliceAction = 'create' | 'replace' | 'delete'

/** The controller's metrics; durations in seconds. */
export interface Observer {
  operation(type: OperationType, trigger: Open<Trigger>, kind: Kind, result: Open<OperationResult>): void
  operationDuration(type: OperationType, kind: Kind, seconds: number): void
  scheduleLag(seconds: number): void
  queueDepth(depth: number): void
  queueWait(seconds: number): void
  /** A write that is due waits, because its workload was written too often. */
  writeWithheld(kind: Kind): void
  sliceWritten(action: SliceAction, result: 'succeeded' | 'failed'): void
  /** Our own code failed over one workload. */
  decidingFailed(): void
}
