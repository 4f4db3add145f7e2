import type { AdmissionDecision, AdmissionReason } from '../../domain/admission/decision.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'

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

/** What a user wants to do to a workload beside patching it (a SubjectAccessReview's resourceAttributes). */
export interface ResourceAccess {
  readonly group: string
  readonly verb: 'update'
  readonly resource: string
  readonly subresource: 'scale'
  readonly namespace: string
  readonly name: string
}

/** Whether the cluster lets a user do this. Any error means that it did not answer. */
export interface Rights {
  may(user: User, access: ResourceAccess): Promise<boolean>
}

/** Who makes a request, as the API server knows them (`authentication.k8s.io/v1` UserInfo). */
export interface User {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
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
  /** The user as history names it: `review:alice`, or `k8s:alice` where API servers prove who they are. */
  readonly by: string
  readonly manager: string | undefined
}
