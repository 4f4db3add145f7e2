import type { Step } from './context.ts'
import { openapi, OPENAPI_PATH } from './openapi.ts'

const document = JSON.stringify(openapi)

/** The document is for everybody; who else wants to know what there is needs a token. */
export const describe: Step = async (ctx, next) => {
  if (ctx.path !== OPENAPI_PATH || !['GET', 'HEAD'].includes(ctx.method)) return next()
  ctx.state.route = OPENAPI_PATH
  ctx.type = 'json'
  ctx.body = document
}
