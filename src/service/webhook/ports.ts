import type { AdmissionDecision, AdmissionReason } from '../../domain/admission/decision.ts'

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
