import type { AdmissionDecision, AdmissionReason } from '../../domain/admission/decision.ts'
import { causeOf, type Cause } from '../../domain/workload/explanation.ts'

/** An AdmissionReview with its response (`admission.k8s.io/v1`). */
export interface ReviewAnswer {
  readonly apiVersion: 'admission.k8s.io/v1'
  readonly kind: 'AdmissionReview'
  readonly response: {
    readonly uid: string
    readonly allowed: boolean
    readonly status?: {
      readonly code: number
      readonly message: string
      readonly reason: string
      /** For programs: the API server passes them on (`metav1.StatusDetails`). */
      readonly details?: { readonly causes: readonly Cause[] }
    }
    readonly warnings?: readonly string[]
    readonly patchType?: 'JSONPatch'
    readonly patch?: string
  }
}

/** HTTP statuses with their names in Kubernetes (`metav1.StatusReason`). */
const BAD_REQUEST = { code: 400, reason: 'BadRequest' }
const FORBIDDEN = { code: 403, reason: 'Forbidden' }
const TOO_LARGE = { code: 413, reason: 'RequestEntityTooLarge' }
const UNAVAILABLE = { code: 503, reason: 'ServiceUnavailable' }

/** For denials: any other reason is 403. */
const STATUS_OF: Partial<Record<AdmissionReason, typeof FORBIDDEN>> = {
  unknown: BAD_REQUEST,
  unexpected: BAD_REQUEST,
  too_large: TOO_LARGE,
  too_many: UNAVAILABLE,
  too_late: UNAVAILABLE,
  unchecked: UNAVAILABLE,
  failed: UNAVAILABLE,
}

/** The answer to the review with this uid. */
export function answerOf(uid: string, decision: AdmissionDecision): ReviewAnswer {
  const warnings = decision.warnings.length > 0 ? { warnings: decision.warnings } : {}
  switch (decision.type) {
    case 'allowed':
      return reviewed({ uid, allowed: true, ...warnings })
    case 'denied': {
      const { reason, message, explanation } = decision
      const details = explanation && { details: { causes: [causeOf(explanation)] } }
      return reviewed({
        uid,
        allowed: false,
        status: { ...(STATUS_OF[reason] ?? FORBIDDEN), message, ...details },
        ...warnings,
      })
    }
    case 'patched': {
      const patch = Buffer.from(JSON.stringify(decision.operations)).toString('base64')
      return reviewed({ uid, allowed: true, patchType: 'JSONPatch', patch, ...warnings })
    }
  }
}

function reviewed(response: ReviewAnswer['response']): ReviewAnswer {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
}
