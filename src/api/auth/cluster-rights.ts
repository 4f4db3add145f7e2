import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { unavailable } from '../errors.ts'
import type { ClusterIdentity } from './identity.ts'
import type { ClusterUser, ResourceAccess, Reviews } from '../ports.ts'
import type { Turn } from '../turns.ts'

/** How long an answer of the cluster is believed, in milliseconds. */
export const BELIEVED = 10_000
const MAX_RIGHTS = 50_000

interface Question {
  readonly user: ClusterUser
  readonly access: ResourceAccess
  readonly turn: Turn
}

/** Asks the cluster what a user may, at most once in 10 s for each question. */
export function clusterRights(reviews: Reviews, clock: Clock) {
  const rights = new LRUCache<string, { allowed: boolean }, Question>({
    max: MAX_RIGHTS,
    ttl: BELIEVED,
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

/** @throws Refusal CLUSTER_UNAVAILABLE */
export async function asked<T>(review: () => Promise<T>): Promise<T> {
  try {
    return await review()
  } catch (error) {
    throw unavailable('the cluster cannot be asked who you are and what you may: try again', error)
  }
}
