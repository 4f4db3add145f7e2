import type { Authorization, Need } from '../auth/authorization.ts'
import type { ApiMiddleware } from './context.ts'

/** Lets callers pass who may do this to the path's workload; refuses namespaces that Dormouse never touches. */
export function demandOf({ refusalOf, refuseExcluded }: Authorization, need: Need): ApiMiddleware {
  return async (ctx, next) => {
    const { namespace, kind, name } = ctx.state.input.path
    const access = { need, kind, namespace, ...(name !== undefined && { name }) }
    const refusal = await refusalOf(ctx.state.caller, access)
    if (refusal) throw refusal
    refuseExcluded(namespace)
    await next()
  }
}

/** Lets callers pass who may read anything at all. */
export function demandAnyRead({ refusalOfAnyRead }: Authorization): ApiMiddleware {
  return async (ctx, next) => {
    const refusal = refusalOfAnyRead(ctx.state.caller)
    if (refusal) throw refusal
    await next()
  }
}
