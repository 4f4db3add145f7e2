import type { AdmissionDecision, AdmissionReason } from '../../domain/admission/decision.ts'

/** An AdmissionReview with its response (`admission.k8s.io/v1`). */
export interface ReviewAnswer {
  readonly apiVersion: 'admission.k8s.io/v1'
  readonly kind: 'AdmissionReview'
  readonly response: {
    readonly uid: string
    readonly allowed: boolean
    readonly status?: { readonly code: number; readonly message: string; readonly reason: string }
    readonly warnings?: readonly string[]
    readonly patchType?: 'JSONPatch'
    readonly patch?: string
  }
}

/** HTTP statuses with their names in Kubernetes (`metav1.StatusReason`). */
const STATUS_REASON = {
  400: 'BadRequest',
  403: 'Forbidden',
  405: 'MethodNotAllowed',
  413: 'RequestEntityTooLarge',
  503: 'ServiceUnavailable',
} as const
export type RefusalStatus = keyof typeof STATUS_REASON

/** Of denials: any other reason is 403. */
const STATUS_OF: Partial<Record<AdmissionReason, RefusalStatus>> = {
  unknown: 400,
  unexpected: 400,
  too_large: 413,
  too_many: 503,
  too_late: 503,
  unchecked: 503,
  failed: 503,
}

/** The HTTP status of a denial for this reason. */
export function statusOf(reason: AdmissionReason): RefusalStatus {
  return STATUS_OF[reason] ?? 403
}

/** The answer to the review with this uid. */
export function answerOf(uid: string, decision: AdmissionDecision): ReviewAnswer {
  const warnings = decision.warnings.length > 0 ? { warnings: decision.warnings } : {}
  switch (decision.type) {
    case 'allowed':
      return reviewed({ uid, allowed: true, ...warnings })
    case 'denied':
      return reviewed({ ...denial(uid, statusOf(decision.reason), decision.message), ...warnings })
    case 'patched': {
      const patch = Buffer.from(JSON.stringify(decision.operations)).toString('base64')
      return reviewed({ uid, allowed: true, patchType: 'JSONPatch', patch, ...warnings })
    }
  }
}

/** The answer to a request that is not known to be a review: it has no uid. */
export function refusal(status: RefusalStatus, message: string): ReviewAnswer {
  return reviewed(denial('', status, `Dormouse: ${message}`))
}

function denial(uid: string, code: RefusalStatus, message: string): ReviewAnswer['response'] {
  return { uid, allowed: false, status: { code, message, reason: STATUS_REASON[code] } }
}

function reviewed(response: ReviewAnswer['response']): ReviewAnswer {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
}
