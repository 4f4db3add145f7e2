import { explanationIn } from '../../domain/workload/explanation.ts'
import { HTTP_STATUS, messageOf, Refusal, type ErrorCode } from '../../process/errors.ts'

/** An answer of the API that is no success. */
export interface Failure {
  readonly error?: {
    readonly code?: string
    readonly message?: string
    readonly details?: Record<string, unknown>
  }
}

/** Errors that another attempt would repeat. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NAMESPACE_EXCLUDED',
  'VALIDATION_ERROR',
  'NOT_FOUND',
])

/** Whether a watch should retry. */
export function isPassing(error: unknown): error is Refusal {
  return error instanceof Refusal && !FINAL.has(error.code)
}

/** `base`: the address of the API. */
export function unreachable(base: string, cause: unknown): Refusal {
  return new Refusal('CLUSTER_UNAVAILABLE', `${base} cannot be reached: ${reasonOf(cause)}`, { cause })
}

/** A refusal of the API; UNAUTHENTICATED and CLUSTER_UNAVAILABLE with advice. */
export function refusal(base: string, status: number, body: Failure | undefined): Refusal {
  const { code, message, details = {} } = body?.error ?? {}
  if (status === 401)
    return new Refusal(
      'UNAUTHENTICATED',
      `${base} refuses the token of DORMOUSE_TOKEN: ${message ?? status}`,
      {
        details,
      },
    )
  if (code !== undefined && Object.hasOwn(HTTP_STATUS, code))
    return new Refusal(code as ErrorCode, explanationIn(details)?.reason ?? message ?? code, { details })
  return new Refusal(
    'CLUSTER_UNAVAILABLE',
    `${base} answered ${status}, and not as Dormouse does: is --server right?`,
  )
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: string }
  if (
    code === 'SELF_SIGNED_CERT_IN_CHAIN' ||
    code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' ||
    code === 'DEPTH_ZERO_SELF_SIGNED_CERT'
  )
    return `its certificate is not trusted here; name its CA with --certificate-authority`
  // OpenSSL's words: the code is that of any broken protocol.
  if (code === 'EPROTO' && messageOf(error).includes('wrong version number'))
    return 'it speaks no TLS there: is it http, not https?'
  return messageOf(error) || String(code)
}
