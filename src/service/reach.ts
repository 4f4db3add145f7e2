import { setTimeout as pause } from 'node:timers/promises'
import type { Kind } from '../domain/workload.ts'
import { ClusterRefusal } from '../kubernetes/failures.ts'
import type { Connection } from './connection.ts'

/** Milliseconds for all tries together. */
const PATIENCE = 9000
/** Milliseconds before each try: one lost connection is no verdict, and three are told soon. */
const TRIES = [0, 500, 1000]

/** An API server that only starts refuses a list or two; one that refuses three means it. */
const REFUSALS = 3

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
  const where = whereOf(credentials)
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

/**
 * Never resolves.
 * @throws Error once the cluster refused (401, 403) to list or watch a kind three times in a row
 */
export function refused({
  informer,
  credentials,
}: Pick<Connection, 'informer' | 'credentials'>): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const refusals = new Map<Kind, number>()
  informer.onFailure((kind, error) => {
    const status = error instanceof ClusterRefusal ? error.status : 0
    const times = status === 401 || status === 403 ? (refusals.get(kind) ?? 0) + 1 : 0
    refusals.set(kind, times)
    if (times < REFUSALS) return
    const { message } = (error as ClusterRefusal).details
    const mend =
      status === 401
        ? 'check the credentials of the context'
        : `the account needs the rights list and watch of ${kind} in every namespace`
    const said = `the cluster at ${whereOf(credentials)} refused three times to list or watch ${kind}`
    reject(new Error(`${said}: ${String(message)}. Nothing was changed: ${mend}`, { cause: error }))
  })
  return promise
}

/** `https://dormouse.example:6443 (context production)`. */
export function whereOf({ server, context }: Pick<Connection['credentials'], 'server' | 'context'>): string {
  return `${server.origin} (context ${context})`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
