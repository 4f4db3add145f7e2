import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { LEEWAY } from './claims.ts'
import { unauthenticated, unavailable } from './errors.ts'
import type { ClusterIdentity } from './identity.ts'
import type { ClusterUser, ResourceAccess, Reviews } from './ports.ts'
import type { Turn } from './turns.ts'
import type { AddressLimit } from './login-limit.ts'

/** How long an answer of the cluster is believed, in milliseconds. */
const ACCEPTED = 10_000
const REFUSED = 2000
const MAX_TOKENS = 10_000
const MAX_RIGHTS = 50_000

/** What the cluster says of a token; `identity` undefined: nothing. */
interface Verdict {
  readonly identity: ClusterIdentity | undefined
}

/**
 * Asks the cluster who holds a token, at most once in 10 s for each token, whatever the number of requests
 * with it; `limit` bounds what one address may cost with tokens that turn out bad.
 */
export function clusterVerifier(
  reviews: Reviews,
  audiences: readonly string[],
  limit: AddressLimit,
  clock: Clock,
) {
  const verdicts = new LRUCache<string, Verdict, { token: string; address: string }>({
    max: MAX_TOKENS,
    ttl: ACCEPTED,
    ttlResolution: 0,
    perf: { now: clock },
    ignoreFetchAbort: true,
    fetchMethod: async (_key, before, { options, context: { token, address } }) => {
      // a token that was good is no guess: others of its address must not lock it out
      const settle = before?.identity ? undefined : limit.reserve(address)
      const user = await asked(() => reviews.authenticate(token, audiences))
      settle?.(user !== undefined)
      options.ttl = user ? Math.min(ACCEPTED, Math.max(1, expiryOf(token) - clock())) : REFUSED
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
    const fault = 'the cluster does not accept the token'
    throw unauthenticated(
      `${fault}: get one by kubectl create token <service account> --audience ${audiences[0] ?? 'dormouse'}`,
      fault,
    )
  }
}

interface Question {
  readonly user: ClusterUser
  readonly access: ResourceAccess
  readonly turn: Turn
}

/** Asks the cluster what a user may, at most once in 10 s for each question. */
export function clusterRights(reviews: Reviews, clock: Clock) {
  const rights = new LRUCache<string, { allowed: boolean }, Question>({
    max: MAX_RIGHTS,
    ttl: ACCEPTED,
    ttlResolution: 0,
    perf: { now: clock },
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { user, access, turn } }) => ({
      allowed: await turn(() => asked(() => reviews.authorize(user, access))),
    }),
  })
  return async (
    { user, fingerprint }: ClusterIdentity,
    access: ResourceAccess,
    turn: Turn = (task) => task(),
  ): Promise<boolean> => {
    const { verb, resource, subresource = '', namespace = '', name = '' } = access
    const key = [fingerprint, verb, resource, subresource, namespace, name].join('/')
    const right = await rights.fetch(key, { context: { user, access, turn } })
    return right?.allowed === true
  }
}

async function asked<T>(review: () => Promise<T>): Promise<T> {
  try {
    return await review()
  } catch (error) {
    throw unavailable('the cluster cannot be asked who you are and what you may: try again', error)
  }
}

function identityOf(user: ClusterUser): ClusterIdentity {
  const { username, uid, groups, extra } = user
  const extras = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))
  const fingerprint = digest(JSON.stringify([username, uid, [...groups].sort(), extras]))
  return { mode: 'kubernetes', issuer: 'kubernetes', subject: username, user, fingerprint }
}

/** When a token says that it ends; never, where it does not say or is no JWT. */
function expiryOf(token: string): number {
  try {
    const { exp } = decodeJwt(token)
    return typeof exp === 'number' ? exp * 1000 : Infinity
  } catch {
    return Infinity
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
