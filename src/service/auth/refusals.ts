import { HttpRefusal } from '../../http/errors.ts'
import { Refusal } from '../../process/errors.ts'

/** 401 with a challenge (RFC 6750, section 3): `fault` describes the token's fault; undefined: there is no token. */
export function unauthenticated(message: string, fault?: string, cause?: unknown): HttpRefusal {
  const challenge = fault ? `, error="invalid_token", error_description="${fault}"` : ''
  return new HttpRefusal(
    'UNAUTHENTICATED',
    message,
    { 'WWW-Authenticate': `Bearer realm="dormouse"${challenge}` },
    cause,
  )
}

/** 503: the cluster or an issuer does not answer. Only the log shows the cause. */
export function unavailable(message: string, cause?: unknown): Refusal {
  return new Refusal('CLUSTER_UNAVAILABLE', message, { retryAfter: 1, cause })
}
