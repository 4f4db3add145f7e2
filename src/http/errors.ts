import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Clock, Instant } from '../process/clock.ts'
import { HTTP_STATUS, Refusal, type ErrorCode } from '../process/errors.ts'
import type { Logger } from '../process/logger.ts'

/** The parts of a request that its error's answer and log line name. */
interface Asked {
  /** Undefined: one is made for the error. */
  requestId?: string
  route?: string
}

/** The reason with which work is aborted that nobody waits for; the default makes an error with a stack, 45 µs a request. */
export const CLIENT_GONE = 'the client is gone'
/** The status in metrics of what nobody reads, as nginx has it. */
const CLIENT_CLOSED_REQUEST = 499

/** A refusal whose answer has headers of its own. */
export class HttpRefusal extends Refusal {
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, headers: Record<string, string>, cause?: unknown) {
    super(code, message, { cause })
    this.headers = headers
  }
}

/**
 * The body of every error. `requestId`: the request's id in the log; undefined: there is no log. `message`: with advice.
 */
export function errorBody(
  { code, details, message: said }: Refusal,
  now: Instant,
  requestId?: string,
  message = said,
): object {
  const error = { code, message, details: requestId ? { ...details, request_id: requestId } : details }
  return { success: false, error, timestamp: new Date(now).toISOString() }
}

/** Answers errors of the middleware below; only the log shows causes and stacks. `worded`: makes the answer's message. */
export function answerErrors<State extends Asked>(
  logger: Logger,
  clock: Clock,
  worded: (refusal: Refusal, state: Partial<State>) => string = ({ message }) => message,
): Middleware<State> {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (isOfClientGone(error)) {
        ctx.status = CLIENT_CLOSED_REQUEST
        return
      }
      const { requestId = randomUUID(), route } = ctx.state
      const refusal = error instanceof Refusal ? error : internal(requestId)
      const status = HTTP_STATUS[refusal.code]
      if (status === 500) logger.error({ err: error, requestId, route }, 'request failed')
      else if (status > 500) logger.warn({ err: error, requestId, route }, 'cluster failed a request')
      ctx.status = status
      if (refusal instanceof HttpRefusal) ctx.set(refusal.headers)
      const retryAfter = refusal.retryAfter ?? (status === 503 ? 1 : undefined)
      if (retryAfter !== undefined) ctx.set('Retry-After', String(Math.max(1, Math.ceil(retryAfter))))
      ctx.body = errorBody(refusal, clock(), requestId, worded(refusal, ctx.state))
    }
  }
}

/** A pause that was aborted throws an error of its own, with the reason as its cause. */
export function isOfClientGone(error: unknown): boolean {
  return error === CLIENT_GONE || (error instanceof Error && error.cause === CLIENT_GONE)
}

/** 500: a bug. Only the log has the details. */
export function internal(requestId: string): Refusal {
  return new Refusal('INTERNAL', `this is a fault of Dormouse: report it with the request id ${requestId}`)
}
