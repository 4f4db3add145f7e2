import { randomUUID } from 'node:crypto'
import type { Step } from './context.ts'

const HEADER = 'X-Request-Id'
const SANE = /^[\w.:-]{1,128}$/

/** Joins a caller's records, the answer and the log: the caller's own id if it is sane, else a new one. */
export const identifyRequest: Step = async (ctx, next) => {
  const given = ctx.get(HEADER)
  ctx.state.requestId = SANE.test(given) ? given : randomUUID()
  ctx.set(HEADER, ctx.state.requestId)
  await next()
}
