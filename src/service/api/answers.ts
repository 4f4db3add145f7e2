import type { Clock, Instant } from '../process/clock.ts'
import { HTTP_STATUS, Refusal, type ErrorCode } from '../process/errors.ts'
import type { Logger } from '../process/logger.ts'
import type { ApiContext, ApiMiddleware } from './context.ts'

/** Answers a success (design, section 5); `more` stands beside the data. */
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

/** A refusal whose answer has headers of its own. */
export class HttpRefusal extends Refusal {
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, headers: Record<string, string>, cause?: unknown) {
    super(code, message, { cause })
    this.headers = headers
  }
}

/** 401 with a challenge (RFC 6750, section 3): `fault` says what is wrong with the token; undefined: there is no token. */
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

/** The body of every error (design, section 5). */
export function errorBody(refusal: Refusal, requestId: string, now: Instant): object {
  const details = { ...refusal.details, request_id: requestId }
  const error = { code: refusal.code, message: refusal.message, details }
  return { success: false, error, timestamp: new Date(now).toISOString() }
}

/** Answers whatever the middleware below throws; only the log shows causes and stacks. */
export function answerErrors(logger: Logger, clock: Clock): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId } = ctx.state
      const refusal = error instanceof Refusal ? error : internal(requestId)
      const status = HTTP_STATUS[refusal.code]
      if (status === 500) logger.error({ err: error, requestId, route: ctx.state.route }, 'request failed')
      else if (status > 500)
        logger.warn({ err: error, requestId, route: ctx.state.route }, 'cluster failed a request')
      ctx.status = status
      if (refusal instanceof HttpRefusal) ctx.set(refusal.headers)
      const retryAfter = refusal.retryAfter ?? (status === 503 ? 1 : undefined)
      if (retryAfter !== undefined) ctx.set('Retry-After', String(Math.max(1, Math.ceil(retryAfter))))
      ctx.body = errorBody(refusal, requestId, clock())
    }
  }
}

/** 500: a bug. Only the log shows what it was. */
export function internal(requestId: string): Refusal {
  return new Refusal('INTERNAL', `this is a fault of Dormouse: report it with the request id ${requestId}`)
}
