import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'

/** The informer's copies. */
export interface Workloads {
  /** Its watch is connected: what is not here does not exist, or was created a moment ago. */
  isConnected(kind: Kind): boolean
  get(key: WorkloadKey): Workload | undefined
}

/** One live read; undefined: there is no such workload. Throws Refusal when the cluster does not answer. */
export interface LiveReader {
  read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined>
}

export interface Observer {
  admission(
    webhook: string,
    decision: 'allowed' | 'denied' | 'patched',
    reason: string,
    seconds: number,
  ): void
}

/** A scaling by hand that was let through. */
export interface Scaling {
  readonly uid: string
  readonly replicas: number
  /** As history names users. */
  readonly by: string
  readonly manager: string | undefined
}
