import type { Monotonic } from '../clock.ts'
import { RateLimit, tooMany, type Rate } from '../rate-limit.ts'
import { subjectKey } from './auth/caller.ts'
import type { ApiMiddleware } from './context.ts'

/** Limits the requests of each caller. */
export function limitRequests(rate: Rate, monotonic: Monotonic): ApiMiddleware {
  const limit = new RateLimit(rate, monotonic)
  const message = tooMany(rate)
  return async (ctx, next) => {
    limit.spend(subjectKey(ctx.state.caller), message)
    await next()
  }
}
