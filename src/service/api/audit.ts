import { keyOf, type WorkloadKey } from '../../domain/workload/workload.ts'
import { isOfClientGone } from '../../http/errors.ts'
import { Refusal, type ErrorCode } from '../../process/errors.ts'
import type { Logger } from '../../process/logger.ts'
import type { ApiContext, ApiMiddleware } from './context.ts'
import { signature } from '../auth/caller.ts'
import type { OperationId } from './openapi/document.ts'

/** CLIENT_GONE: nobody waited for its end any more. */
type Result = ErrorCode | 'OK' | 'CLIENT_GONE'

/**
 * Logs one line for each write of an authenticated caller: who, what, on which workload or namespace, and its result.
 */
export function audit(logger: Logger, action: OperationId): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next()
      logger.info({ ...lineOf(ctx, action), result: 'OK' }, 'audit')
    } catch (error) {
      logger.info({ ...lineOf(ctx, action), result: resultOf(error) }, 'audit')
      throw error
    }
  }
}

function resultOf(error: unknown): Result {
  if (isOfClientGone(error)) return 'CLIENT_GONE'
  return error instanceof Refusal ? error.code : 'INTERNAL'
}

/** Logs a line for one workload that a request about its namespace has changed, or may have: `changed` null. */
export function auditWorkload(
  logger: Logger,
  ctx: ApiContext,
  action: OperationId,
  key: WorkloadKey,
  result: Result,
  changed: boolean | null,
): void {
  logger.info({ ...whatOf(ctx, action), workload: keyOf(key), changed, result }, 'audit')
}

function lineOf(ctx: ApiContext, action: OperationId): object {
  const { changed, counts } = ctx.state
  const { namespace = '', kind = '', name } = ctx['params'] as Record<string, string>
  const target =
    name === undefined
      ? { namespace: namespace.slice(0, 512), counts }
      : { workload: `${kind}/${namespace}/${name}`.slice(0, 512) }
  return { ...whatOf(ctx, action), ...target, changed }
}

function whatOf({ state: { caller, requestId, input } }: ApiContext, action: OperationId): object {
  return {
    by: signature(caller),
    issuer: caller.issuer,
    action,
    // input is logged only once it is valid
    asked: input && { ...input.query, ...input.body },
    dryRun: input?.query.dryRun === true,
    requestId,
  }
}
