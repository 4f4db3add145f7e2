import { Refusal } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { ApiContext, ApiMiddleware } from './context.ts'
import { signature } from './auth/caller.ts'
import type { OperationId } from './openapi/document.ts'

/** Logs one line for each write of an authenticated caller: who, what, on which workload, and its result. */
export function audit(logger: Logger, action: OperationId): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next()
      logger.info({ ...lineOf(ctx, action), result: 'OK' }, 'audit')
    } catch (error) {
      const result = error instanceof Refusal ? error.code : 'INTERNAL'
      logger.info({ ...lineOf(ctx, action), result }, 'audit')
      throw error
    }
  }
}

function lineOf(ctx: ApiContext, action: OperationId): object {
  const { caller, requestId, input, changed } = ctx.state
  const { namespace = '', kind = '', name = '' } = ctx['params'] as Record<string, string>
  return {
    by: signature(caller),
    issuer: caller.issuer,
    action,
    workload: `${kind}/${namespace}/${name}`.slice(0, 512),
    // input is logged only once it is valid
    asked: input && { ...input.query, ...input.body },
    dryRun: input?.query.dryRun === true,
    changed,
    requestId,
  }
}
