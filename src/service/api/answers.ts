import { HttpRefusal } from '../../http/errors.ts'
import type { Instant } from '../../process/clock.ts'
import { Refusal } from '../../process/errors.ts'
import type { ApiContext } from './context.ts'

/** Answers a success; `more`: fields beside the data. */
export function answer(
  ctx: ApiContext,
  now: Instant,
  message: string,
  data: unknown,
  more: object = {},
): void {
  ctx.status = 200
  ctx.body = { success: true, message, data, ...more, timestamp: new Date(now).toISOString() }
}

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
