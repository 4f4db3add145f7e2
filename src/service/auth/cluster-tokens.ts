import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock, Monotonic } from '../../process/clock.ts'
import { clip } from '../../domain/text.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { unauthenticated } from './refusals.ts'
import { networkOf } from '../../http/client-address.ts'
import type { Reviews } from '../../kubernetes/ports.ts'
import { clusterCaller, type ClusterCaller } from './caller.ts'
import { askCluster, CACHED } from './cluster-rights.ts'
import { LEEWAY, unverifiedClaims } from './jwt.ts'

/** How long a refusal of the cluster is cached, in milliseconds. */
const REFUSAL_CACHED = 2000
const MAX_TOKENS = 10_000
/** How many issuers refusals may name. */
const MAX_ISSUERS = 16
/** Milliseconds for which an accepted token without an expiry counts as good before. */
const KNOWN_GOOD = 24 * 3_600_000

/** Reviews for one address that are in flight, or ended in a refusal: what its bad tokens may cost the cluster. */
const BAD_TOKENS = { perSecond: 10, burst: 100 }

/** The cluster's answer about a token; `caller` undefined: refused. */
interface TokenReview {
  readonly caller: ClusterCaller | undefined
}

export interface ClusterLogin {
  readonly reviews: Reviews
  readonly audiences: readonly string[]
  /** Issuers that other verifiers serve; refusals name them. */
  readonly configured: readonly string[]
  readonly clock: Clock
  readonly monotonic: Monotonic
}

/**
 * Asks the cluster for a token's user: at most once in 10 s for each token, however many requests use it. A token that
 * was good before passes the limit of its address, whatever bad tokens come from there.
 */
export function clusterVerifier({ reviews, audiences, configured, clock, monotonic }: ClusterLogin) {
  const limit = new RateLimit(BAD_TOKENS, monotonic)
  /** The issuers of accepted tokens. */
  const issuers = new LRUCache<string, true>({ max: MAX_ISSUERS })
  const options = { max: MAX_TOKENS, ttlResolution: 0, perf: { now: monotonic } }
  const good = new LRUCache<string, true>(options)
  const reviewed = new LRUCache<string, TokenReview, { token: string; address: string }>({
    ...options,
    ttl: CACHED,
    ignoreFetchAbort: true,
    fetchMethod: async (key, _before, { options: entry, context: { token, address } }) => {
      const network = networkOf(address)
      const isNew = !good.has(key)
      if (isNew) limit.spend(network, 'too many bad tokens from your address: wait')
      const refund = () => isNew && limit.refund(network)
      const user = await askCluster(() => reviews.authenticate(token, audiences)).catch((error: unknown) => {
        // unanswered is not bad
        refund()
        throw error
      })
      if (user) refund()
      const left = Math.max(1, expiryOf(token) - clock())
      if (user) {
        good.set(key, true, { ttl: Math.min(KNOWN_GOOD, left) })
        issuers.set(unverifiedClaims(token)?.iss ?? '', true)
      } else good.delete(key)
      entry.ttl = user ? Math.min(CACHED, left) : REFUSAL_CACHED
      return { caller: user && clusterCaller(user, 'kubernetes') }
    },
  })
  return async (token: string, address: string): Promise<ClusterCaller> => {
    if (expiryOf(token) + LEEWAY * 1000 <= clock()) {
      const fault = 'the token has expired'
      throw unauthenticated(`${fault}: get a new token`, fault)
    }
    const review = await reviewed.fetch(hash('sha256', token, 'base64url'), { context: { token, address } })
    if (review?.caller) return review.caller
    throw refusalOf(token, audiences, [...configured, ...[...issuers.keys()].filter(Boolean)])
  }
}

function refusalOf(token: string, audiences: readonly string[], trusted: readonly string[]): Error {
  const claims = unverifiedClaims(token)
  // some cluster made it, this one or another
  const isFromCluster = claims === undefined || 'kubernetes.io' in claims
  if (!isFromCluster && claims.iss !== undefined && !trusted.includes(claims.iss))
    return unknownIssuer(token, [...trusted, 'the cluster'])
  const fault = 'the cluster does not accept the token'
  const audience = audiences[0] ?? 'dormouse'
  const advice = `get one by kubectl create token <service account> --audience ${audience}`
  return unauthenticated(`${fault}: ${advice}`, fault)
}

/** 401 that names the issuer that the token claims, and the trusted ones. */
export function unknownIssuer(token: string, trusted: readonly string[]): Error {
  const issuer = unverifiedClaims(token)?.iss
  if (typeof issuer !== 'string') {
    const fault = 'the token is malformed'
    return unauthenticated(
      `${fault}: get one from an issuer that is trusted here: ${trusted.join(', ')}`,
      fault,
    )
  }
  const fault = 'the token is of an issuer that is not trusted here'
  return unauthenticated(
    `${fault}: it is of ${JSON.stringify(clip(issuer))}, and trusted are ${trusted.join(', ')}; the names must be exactly equal, also a '/' at the end`,
    fault,
  )
}

/** A token's expiry; Infinity: it has none, or is not a JWT. */
function expiryOf(token: string): number {
  const exp = unverifiedClaims(token)?.exp
  return typeof exp === 'number' ? exp * 1000 : Infinity
}
