import { setTimeout as pause } from 'node:timers/promises'
import { isBuiltIn } from '../domain/kinds.ts'
import type { Kind } from '../domain/workload/workload.ts'
import { messageOf } from '../process/errors.ts'
import { ClusterRefusal } from '../kubernetes/failures.ts'
import type { Runnable } from '../process/runnable.ts'
import { connectionOf, type Connection } from './process/connection.ts'
import type { ProcessOptions } from './process/process.ts'
import { informersOf, type Informers } from './workload-clients.ts'

const NO_OBSERVER = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }
/** Milliseconds after which the log says why listing takes so long. */
const LISTING_TIMEOUT = 120_000

/** Milliseconds for all attempts together. */
const PATIENCE = 9000
/** Milliseconds before each attempt: one lost connection proves nothing, and three are soon made. */
const ATTEMPTS = [0, 500, 1000]

/** A starting API server refuses a list or two; after three refusals in a row it will continue to refuse. */
const REFUSALS = 3

/** Options of a command that works on one cluster. */
export interface CommandOptions extends ProcessOptions {
  /** Ends it early. */
  readonly stop: AbortSignal
}

/** The cluster that a command works on. */
export class CommandCluster {
  readonly connection: Connection
  protected readonly stop: AbortSignal

  /** @throws Error when no usable kubeconfig is found */
  constructor({ config, kubeconfig, logger, stop }: CommandOptions) {
    this.connection = connectionOf({ config, kubeconfig, observer: NO_OBSERVER, logger })
    this.stop = stop
  }

  /** `https://dormouse.example:6443 (context production)`. */
  get name(): string {
    return nameOf(this.connection.credentials)
  }

  /** Resolves once the cluster has answered. @throws as `waitForCluster` */
  answered(): Promise<void> {
    return waitForCluster(this.connection, { stop: this.stop })
  }

  async close(): Promise<void> {
    await this.connection.transport.close()
  }
}

interface Listing {
  readonly also?: readonly Runnable[]
  readonly partly?: boolean
}

/** The cluster of a command that looks at its workloads. */
export class ListedCluster extends CommandCluster {
  readonly informers: Informers

  /** @throws Error when no usable kubeconfig is found */
  constructor(options: CommandOptions) {
    super(options)
    this.informers = informersOf(this.connection, { ...options, observer: NO_OBSERVER })
  }

  /**
   * Lists all workloads, and what stands beside them; changes nothing. `also` runs beside it, and is stopped if it takes too
   * long. `partly`: without configured kinds that are refused.
   * @throws Error when the cluster cannot be reached, refuses, or takes longer than two minutes
   */
  async list({ also = [], partly = false }: Listing = {}): Promise<void> {
    const { informer, companions } = this.informers
    const { stop } = this
    await this.answered()
    const timeout = AbortSignal.timeout(LISTING_TIMEOUT)
    const end = AbortSignal.any([stop, timeout])
    const parts = [informer, ...also]
    const endParts = () => void Promise.all(parts.map((part) => part.stop()))
    end.addEventListener('abort', endParts, { once: true })
    try {
      const all = partly ? informer.examined() : informer.complete()
      const listed = Promise.all([...parts.map((part) => part.start()), all])
      const isNeeded = (kind: Kind) => !partly || isBuiltIn(kind)
      await Promise.race([rejectWhenRefused(informer, this.name, isNeeded), listed])
      await companions.start()
    } catch (error) {
      if (stop.aborted) throw new Error('stopped before anything was changed', { cause: error })
      if (!timeout.aborted) throw error
      const what = `the workloads could not all be listed within ${LISTING_TIMEOUT / 1000} s`
      throw new Error(`${what}: the warnings above say why; nothing was changed`, { cause: error })
    } finally {
      end.removeEventListener('abort', endParts)
    }
  }

  override async close(): Promise<void> {
    const { informer, namespaces, companions } = this.informers
    await Promise.all([informer.stop(), namespaces.stop(), companions.stop()])
    await super.close()
  }
}

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
  { client, credentials }: Pick<Connection, 'client' | 'credentials'>,
  { stop, patience = PATIENCE }: Waiting,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(patience)])
  const cluster = nameOf(credentials)
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
 * @throws Error once the cluster has refused (401, 403) to list or watch a kind that is needed three times in a row
 */
function rejectWhenRefused(
  informer: Informers['informer'],
  cluster: string,
  isNeeded: (kind: Kind) => boolean,
): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const refusals = new Map<Kind, number>()
  informer.onFailure((kind, error) => {
    const status = error instanceof ClusterRefusal ? error.status : 0
    const times = status === 401 || status === 403 ? (refusals.get(kind) ?? 0) + 1 : 0
    refusals.set(kind, times)
    if (times < REFUSALS || !isNeeded(kind)) return
    const { message } = (error as ClusterRefusal).details
    const remedy =
      status === 401
        ? 'check the credentials of the context'
        : `the account needs the rights list and watch of ${kind} in every namespace`
    const what = `the cluster at ${cluster} refused three times to list or watch ${kind}`
    reject(new Error(`${what}: ${String(message)}. Nothing was changed: ${remedy}`, { cause: error }))
  })
  return promise
}

function nameOf({ server, context }: Pick<Connection['credentials'], 'server' | 'context'>): string {
  return `${server.origin} (context ${context})`
}
