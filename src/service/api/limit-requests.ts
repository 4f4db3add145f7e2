import type { Monotonic } from '../process/clock.ts'
import { RateLimit, tooMany, type Rate } from '../http/rate-limit.ts'
import { subjectKey } from './auth/caller.ts'
import type { ApiMiddleware } from './context.ts'
import { placesOfAnswers } from './places.ts'

/** Limits the requests of each caller: in a second, and at once. */
export function limitRequests(rate: Rate, monotonic: Monotonic): ApiMiddleware {
  const limit = new RateLimit(rate, monotonic)
  const message = tooMany(rate)
  const enter = placesOfAnswers(({ state }) => subjectKey(state.caller))
  return async (ctx, next) => {
    limit.spend(subjectKey(ctx.state.caller), message)
    enter(ctx)
    await next()
  }
}
