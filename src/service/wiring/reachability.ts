import { setTimeout as pause } from 'node:timers/promises'
import type { Kind } from '../../domain/workload/workload.ts'
import { messageOf } from '../process/errors.ts'
import { ClusterRefusal } from '../../kubernetes/failures.ts'
import type { ClusterClients } from './cluster-clients.ts'

/** Milliseconds for all attempts together. */
const PATIENCE = 9000
/** Milliseconds before each attempt: one lost connection proves nothing, and three are soon made. */
const ATTEMPTS = [0, 500, 1000]

/** A starting API server refuses a list or two; after three refusals in a row it will continue to refuse. */
const REFUSALS = 3

interface Waiting {
  readonly stop: AbortSignal
  /** Milliseconds; default 9,000. */
  readonly patience?: number
}

/**
 * Resolves once the cluster has answered. For commands: unlike the service, they do not wait for a cluster that is
 * away.
 * @throws Error that names the server and the kubeconfig's context, after three attempts or `patience`, and at a 401
 */
export async function waitForCluster(
  { client, credentials }: Pick<ClusterClients, 'client' | 'credentials'>,
  { stop, patience = PATIENCE }: Waiting,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(patience)])
  const cluster = clusterName(credentials)
  const call = { method: 'GET', resource: 'version', path: '/version', retries: 0, signal } as const
  let why = ''
  for (const wait of ATTEMPTS) {
    try {
      await pause(wait, undefined, { signal })
      await client.call(call)
      return
    } catch (error) {
      if (stop.aborted) throw new Error('stopped before anything was changed', { cause: error })
      if (signal.aborted) break
      if (!(error instanceof ClusterRefusal)) throw error
      if (error.status === 401) {
        throw new Error(`the cluster at ${cluster} does not accept the credentials`, { cause: error })
      }
      // Any other refusal is an answer.
      if (error.status > 0 && error.status < 500) return
      why = messageOf(error.status > 0 ? error : error.cause)
    }
  }
  if (signal.aborted) why = `no answer within ${patience / 1000} s`
  throw new Error(`the cluster at ${cluster} cannot be reached: ${why}. Nothing was changed`)
}

/**
 * Never resolves.
 * @throws Error once the cluster has refused (401, 403) to list or watch a kind three times in a row
 */
export function rejectWhenRefused({
  informer,
  credentials,
}: Pick<ClusterClients, 'informer' | 'credentials'>): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const refusals = new Map<Kind, number>()
  informer.onFailure((kind, error) => {
    const status = error instanceof ClusterRefusal ? error.status : 0
    const times = status === 401 || status === 403 ? (refusals.get(kind) ?? 0) + 1 : 0
    refusals.set(kind, times)
    if (times < REFUSALS) return
    const { message } = (error as ClusterRefusal).details
    const remedy =
      status === 401
        ? 'check the credentials of the context'
        : `the account needs the rights list and watch of ${kind} in every namespace`
    const what = `the cluster at ${clusterName(credentials)} refused three times to list or watch ${kind}`
    reject(new Error(`${what}: ${String(message)}. Nothing was changed: ${remedy}`, { cause: error }))
  })
  return promise
}

/** `https://dormouse.example:6443 (context production)`. */
export function clusterName({
  server,
  context,
}: Pick<ClusterClients['credentials'], 'server' | 'context'>): string {
  return `${server.origin} (context ${context})`
}
