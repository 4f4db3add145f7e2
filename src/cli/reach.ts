import { setTimeout as pause } from 'node:timers/promises'
import { ClusterRefusal } from '../kubernetes/failures.ts'
import type { Connection } from './connection.ts'

/** Milliseconds for all tries together. */
const PATIENCE = 9000
/** Milliseconds before each try: one lost connection is no verdict, and three are told soon. */
const TRIES = [0, 500, 1000]

interface Reaching {
  readonly stop: AbortSignal
  /** Milliseconds; default 9,000. */
  readonly patience?: number
}

/**
 * Resolves once the cluster has answered: a command that ends does not wait for a cluster that is away, as a
 * service does.
 * @throws Error that names the server and the kubeconfig's context, after three tries or `patience`, and at a 401
 */
export async function reached(
  { client, credentials }: Pick<Connection, 'client' | 'credentials'>,
  { stop, patience = PATIENCE }: Reaching,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(patience)])
  const where = `${credentials.server.origin} (context ${credentials.context})`
  const call = {
    method: 'GET',
    verb: 'get',
    resource: 'version',
    path: '/version',
    retries: 0,
    signal,
  } as const
  let why = ''
  for (const wait of TRIES) {
    try {
      await pause(wait, undefined, { signal })
      await client.call(call)
      return
    } catch (error) {
      if (stop.aborted) throw new Error('stopped before anything was changed', { cause: error })
      if (signal.aborted) break
      if (!(error instanceof ClusterRefusal)) throw error
      if (error.status === 401) {
        throw new Error(`the cluster at ${where} does not accept the credentials`, { cause: error })
      }
      if (error.status > 0 && error.status < 500) return
      why = messageOf(error.status > 0 ? error : error.cause)
    }
  }
  if (signal.aborted) why = `no answer within ${patience / 1000} s`
  throw new Error(`the cluster at ${where} cannot be reached: ${why}. Nothing was changed`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
