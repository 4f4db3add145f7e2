import type { AdmissionDecision, AdmissionReason } from '../domain/admission/decision.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'

/** The informer's copies. */
export interface Workloads {
  /** Whether its watch is connected: then a workload that is not here does not exist, or was created a moment ago. */
  isConnected(kind: Kind): boolean
  get(key: WorkloadKey): Workload | undefined
}

/** One live read; undefined: there is no such workload. @throws Refusal when the cluster does not answer */
export interface LiveReader {
  read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined>
}

export interface Observer {
  admission(
    webhook: string,
    decision: AdmissionDecision['type'],
    reason: AdmissionReason,
    seconds: number,
  ): void
}

/** A manual scaling that the webhook allowed. */
export interface Scaling {
  readonly uid: string
  readonly replicas: number
  /** The user as history names it: `k8s:alice`. */
  readonly by: string
  readonly manager: string | undefined
}
