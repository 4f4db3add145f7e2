import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { clip } from '../../domain/text.ts'
import { LEEWAY } from './claims.ts'
import { asked, BELIEVED } from './cluster-rights.ts'
import { unauthenticated } from '../errors.ts'
import type { ClusterIdentity } from './identity.ts'
import type { LoginLimit } from './login-limit.ts'
import type { ClusterUser, Reviews } from '../ports.ts'
import { claimsOf, tokenStanding } from './token-standing.ts'

/** How long a refusal of the cluster is believed, in milliseconds. */
const REFUSED = 2000
const MAX_TOKENS = 10_000
/** How long a good token without an end is remembered to have been good, in milliseconds. */
const LONGEST = 24 * 3_600_000

/** What the cluster says of a token; `identity` undefined: nothing. */
interface Verdict {
  readonly identity: ClusterIdentity | undefined
}

export interface ClusterLogin {
  readonly reviews: Reviews
  readonly audiences: readonly string[]
  /** Bounds what one address may cost with tokens that turn out bad. */
  readonly limit: LoginLimit
  /** Issuers that others vouch for, to name them. */
  readonly configured: readonly string[]
  readonly clock: Clock
}

/**
 * Asks the cluster who holds a token, at most once in 10 s for each token, whatever the number of requests
 * with it. A token that was good is asked about again whatever others of its address send.
 */
export function clusterVerifier({ reviews, audiences, limit, configured, clock }: ClusterLogin) {
  const standing = tokenStanding({ audiences, keys: reviews.keys?.bind(reviews), clock })
  const options = { max: MAX_TOKENS, ttlResolution: 0, perf: { now: clock } }
  const good = new LRUCache<string, true>(options)
  const verdicts = new LRUCache<string, Verdict, { token: string; address: string }>({
    ...options,
    ttl: BELIEVED,
    ignoreFetchAbort: true,
    fetchMethod: async (key, _before, { options: entry, context: { token, address } }) => {
      const settle = good.has(key) ? undefined : limit.reserve(address, await standing.of(token))
      const user = await asked(() => reviews.authenticate(token, audiences)).catch((error: unknown) => {
        // nobody has called it bad
        settle?.(true)
        throw error
      })
      settle?.(user !== undefined)
      const left = Math.max(1, expiryOf(token) - clock())
      if (user) {
        good.set(key, true, { ttl: Math.min(LONGEST, left) })
        standing.accepted(token)
      } else good.delete(key)
      entry.ttl = user ? Math.min(BELIEVED, left) : REFUSED
      return { identity: user && identityOf(user) }
    },
  })
  return async (token: string, address: string): Promise<ClusterIdentity> => {
    if (expiryOf(token) + LEEWAY * 1000 <= clock()) {
      const fault = 'the token has expired'
      throw unauthenticated(`${fault}: get a new token`, fault)
    }
    const verdict = await verdicts.fetch(digest(token), { context: { token, address } })
    if (verdict?.identity) return verdict.identity
    throw refusalOf(token, audiences, [...configured, ...standing.issuers])
  }
}

function refusalOf(token: string, audiences: readonly string[], trusted: readonly string[]): Error {
  const claims = claimsOf(token)
  // a token that some cluster made, this one or another
  const isClusters = claims === undefined || 'kubernetes.io' in claims
  if (!isClusters && claims.iss !== undefined && !trusted.includes(claims.iss))
    return unknownIssuer(token, [...trusted, 'the cluster'])
  const fault = 'the cluster does not accept the token'
  const audience = audiences[0] ?? 'dormouse'
  const advice = `get one by kubectl create token <service account> --audience ${audience}`
  return unauthenticated(`${fault}: ${advice}`, fault)
}

/** Names the issuer that the token claims, and those that are trusted. */
export function unknownIssuer(token: string, trusted: readonly string[]): Error {
  const issuer = claimsOf(token)?.iss
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

function identityOf(user: ClusterUser): ClusterIdentity {
  const { username, uid, groups, extra } = user
  const extras = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))
  const fingerprint = digest(JSON.stringify([username, uid, [...groups].sort(), extras]))
  return { mode: 'kubernetes', issuer: 'kubernetes', subject: username, user, fingerprint }
}

/** When a token says that it ends; never, where it does not say or is no JWT. */
function expiryOf(token: string): number {
  const exp = claimsOf(token)?.exp
  return typeof exp === 'number' ? exp * 1000 : Infinity
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
