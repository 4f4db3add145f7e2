import type { Clock, Monotonic } from '../../process/clock.ts'
import type { Reviews } from '../../kubernetes/ports.ts'
import type { Caller } from './caller.ts'
import { clusterVerifier, unknownIssuer } from './cluster-tokens.ts'
import { unauthenticated } from './refusals.ts'
import { unverifiedClaims } from './jwt.ts'
import { knownTokens, type Verify } from './known-tokens.ts'
import { localVerifier } from './local-token.ts'
import { oidcVerifier } from './oidc.ts'
import type { AuthSettings } from './ports.ts'

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i
const MAX_TOKEN_LENGTH = 8 * 1024

interface Parts {
  readonly auth: AuthSettings
  readonly reviews: Reviews
  readonly clock: Clock
  readonly monotonic: Monotonic
}

/**
 * The caller whose token this is; `address`: of who sent it, for limits. Verified tokens are remembered for a while.
 * @throws Refusal UNAUTHENTICATED, CLUSTER_UNAVAILABLE
 */
export type CallerOf = (token: string, address: string) => Promise<Caller>

/**
 * The token's claimed issuer only chooses the verifier; the cluster verifies tokens of other issuers.
 * @throws TypeError for settings that cannot work
 */
export function createAuthentication({ auth, reviews, clock, monotonic }: Parts): CallerOf {
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
  return async (token, address) => known.callerOf(token) ?? (await verifierOf(token)(token, address))
}

/**
 * The token of a request's Authorization headers. With two of them, a proxy in front of us may have checked the other one:
 * neither counts (RFC 9110, section 5.3).
 * @throws Refusal UNAUTHENTICATED
 */
export function bearerOf([authorization = '', ...more]: readonly string[]): string {
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
