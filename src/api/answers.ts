import type { Instant } from '../clock.ts'
import type { ApiContext } from './context.ts'

/** The body of every success (design, section 5); `more` stands beside the data. */
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
