import { clientAddress } from '../../http/client-address.ts'
import { Refusal } from '../../process/errors.ts'
import { bearerOf, createAuthentication } from '../auth/authentication.ts'
import type { LoginAudit } from '../auth/login-audit.ts'
import type { ApiMiddleware } from './context.ts'
import type { ApiDeps } from './ports.ts'

/**
 * Lets a request with a good token pass and puts its caller in `ctx.state.caller`.
 * @throws TypeError for settings that cannot work
 */
export function authenticated(
  {
    settings: { auth, trustedProxies },
    ...parts
  }: Pick<ApiDeps, 'settings' | 'reviews' | 'clock' | 'monotonic'>,
  audit: LoginAudit,
): ApiMiddleware {
  const callerOf = createAuthentication({ ...parts, auth })
  const addressOf = clientAddress(trustedProxies)

  return async (ctx, next) => {
    // Node's `headers` would have the first alone
    const given = ctx.req.headersDistinct['authorization'] ?? []
    const address = addressOf(ctx.req)
    try {
      const token = bearerOf(given)
      ctx.state.authenticateAgain = () => callerOf(token, address)
      ctx.state.caller = await callerOf(token, address)
    } catch (error) {
      // a request without a token did not try to log in
      const tried = given.some(Boolean) && error instanceof Refusal
      if (tried && error.code !== 'CLUSTER_UNAVAILABLE') audit.refused(address, error, ctx.state.requestId)
      throw error
    }
    await next()
  }
}
