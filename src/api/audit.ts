import { Refusal } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { ApiContext, Step } from './context.ts'
import { signature } from './auth/identity.ts'
import type { OperationId } from './openapi.ts'

/** One line for each write that somebody known asked for: who, what, on which workload, and how it ended. */
export function audit(logger: Logger, action: OperationId): Step {
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
    // what a stranger sent is told once it is known to be sound
    asked: input && { ...input.query, ...input.body },
    dryRun: input?.query.dryRun === true,
    changed,
    requestId,
  }
}
