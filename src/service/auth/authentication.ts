import { Refusal } from '../../process/errors.ts'
import { clientAddress } from '../api/client-address.ts'
import { clusterVerifier, unknownIssuer } from './cluster-tokens.ts'
import type { ApiMiddleware } from '../api/context.ts'
import { unauthenticated } from '../api/answers.ts'
import { unverifiedClaims } from './jwt.ts'
import { knownTokens, type Verify } from './known-tokens.ts'
import { localVerifier } from './local-token.ts'
import type { LoginAudit } from './login-audit.ts'
import { oidcVerifier } from './oidc.ts'
import type { ApiDeps } from '../api/ports.ts'

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i
const MAX_TOKEN_LENGTH = 8 * 1024

/**
 * Lets a request with a good token pass and puts its caller in `ctx.state.caller`. The token's claimed issuer only
 * chooses the verifier; the cluster verifies tokens of other issuers.
 * @throws TypeError for settings that cannot work
 */
export function authenticate(
  {
    settings: { auth, trustedProxies },
    reviews,
    clock,
    monotonic,
  }: Pick<ApiDeps, 'settings' | 'reviews' | 'clock' | 'monotonic'>,
  audit: LoginAudit,
): ApiMiddleware {
  const known = knownTokens(clock)
  const issuers = new Map<string, Verify>()
  for (const settings of auth.oidc)
    issuers.set(settings.issuer, known.remembering(oidcVerifier(settings, clock, monotonic)))
  if (auth.local) issuers.set(auth.local.issuer, known.remembering(localVerifier(auth.local, clock)))
  const count = auth.oidc.length + (auth.local ? 1 : 0)
  if (issuers.size < count) throw new TypeError('auth: each issuer may be configured once')
  const configured = [...issuers.keys()]
  const { audiences } = auth.kubernetes
  const cluster: Verify = auth.kubernetes.enabled
    ? clusterVerifier({ reviews, audiences, configured, clock, monotonic })
    : (token) => Promise.reject(unknownIssuer(token, configured))
  const verifierOf = (token: string) => issuers.get(unverifiedClaims(token)?.iss ?? '') ?? cluster
  const addressOf = clientAddress(trustedProxies)

  return async (ctx, next) => {
    // Node's `headers` would have the first alone
    const given = ctx.req.headersDistinct['authorization'] ?? []
    const address = addressOf(ctx.req)
    try {
      const token = bearer(given)
      ctx.state.authenticateAgain = async () =>
        known.callerOf(token) ?? (await verifierOf(token)(token, address))
      ctx.state.caller = await ctx.state.authenticateAgain()
    } catch (error) {
      // a request without a token did not try to log in
      const tried = given.some(Boolean) && error instanceof Refusal
      if (tried && error.code !== 'CLUSTER_UNAVAILABLE') audit.refused(address, error, ctx.state.requestId)
      throw error
    }
    await next()
  }
}

/** Of two headers a proxy in front of us may have checked the other one: neither counts (RFC 9110, section 5.3). */
function bearer([authorization = '', ...more]: readonly string[]): string {
  if (more.length > 0) {
    const fault = 'there is more than one Authorization header'
    throw unauthenticated(`${fault}: send one`, fault)
  }
  if (authorization === '') throw unauthenticated('a token is needed: send Authorization: Bearer <token>')
  const token = BEARER.exec(authorization)?.[1]
  if (token === undefined) {
    throw unauthenticated(
      'the Authorization header must be: Bearer <token>',
      'the Authorization header is malformed',
    )
  }
  if (token.length > MAX_TOKEN_LENGTH) {
    const fault = `the token is longer than ${MAX_TOKEN_LENGTH} characters`
    throw unauthenticated(`${fault}: get a smaller one`, fault)
  }
  return token
}
