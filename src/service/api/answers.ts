import type { Instant } from '../../process/clock.ts'
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
