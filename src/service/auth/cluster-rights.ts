import { LRUCache } from 'lru-cache'
import type { Monotonic } from '../../process/clock.ts'
import type { LimitFunction } from 'p-limit'
import { unavailable } from './refusals.ts'
import type { ClusterUser, ResourceAccess, Reviews } from '../../kubernetes/ports.ts'
import type { ClusterCaller } from './caller.ts'

/** How long an answer of the cluster is cached, in milliseconds. */
export const CACHED = 10_000
const MAX_RIGHTS = 50_000

interface Question {
  readonly user: ClusterUser
  readonly access: ResourceAccess
  readonly limit: LimitFunction | undefined
}

/**
 * Asks the cluster for a user's rights, at most once in 10 s for each question; `limit` bounds the calls in flight. A right to
 * one object is first asked for as one to all in its namespace, since "" in place of a name means all (SubjectAccessReview,
 * `resourceAttributes.name`): so a person costs one review a kind and namespace. Only after a no the name is asked for,
 * which a Role may list.
 */
export function clusterRights(reviews: Reviews, monotonic: Monotonic) {
  const rights = new LRUCache<string, { allowed: boolean }, Question>({
    max: MAX_RIGHTS,
    ttl: CACHED,
    ttlResolution: 0,
    perf: { now: monotonic },
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { user, access, limit } }) => {
      const ask = () => askCluster(() => reviews.authorize(user, access))
      return { allowed: await (limit ? limit(ask) : ask()) }
    },
  })
  const has = async (
    { user, fingerprint }: ClusterCaller,
    access: ResourceAccess,
    limit: LimitFunction | undefined,
  ): Promise<boolean> => {
    const { verb, group, resource, subresource = '', namespace = '', name = '' } = access
    // Kinds of different groups may have one name: statefulsets of apps and of apps.kruise.io.
    const key = [fingerprint, verb, group, resource, subresource, namespace, name].join('/')
    const right = await rights.fetch(key, { context: { user, access, limit } })
    return right?.allowed === true
  }
  return async (caller: ClusterCaller, access: ResourceAccess, limit?: LimitFunction): Promise<boolean> => {
    const { name, ...toAll } = access
    if (await has(caller, toAll, limit)) return true
    return name !== undefined && has(caller, access, limit)
  }
}

/** @throws Refusal CLUSTER_UNAVAILABLE */
export async function askCluster<T>(review: () => Promise<T>): Promise<T> {
  try {
    return await review()
  } catch (error) {
    throw unavailable('the cluster does not say now who you are and what you may do: try again', error)
  }
}
