import type { Runnable } from '../process/runnable.ts'
import type { ClusterClients } from './cluster-clients.ts'
import { rejectWhenRefused, waitForCluster } from './reachability.ts'

/** Milliseconds after which the log says why listing takes so long. */
const LISTING_TIMEOUT = 120_000

interface Options {
  /** Ends it early. */
  readonly stop: AbortSignal
  /** Runs beside the listing of workloads, and is stopped if that takes too long. */
  readonly also?: readonly Runnable[]
}

/**
 * Lists all workloads and ScaledObjects, for commands; changes nothing.
 * @throws Error when the cluster cannot be reached, refuses, or takes longer than two minutes
 */
export async function listAll(cluster: ClusterClients, { stop, also = [] }: Options): Promise<void> {
  const { informer, keda } = cluster
  await waitForCluster(cluster, { stop })
  const timeout = AbortSignal.timeout(LISTING_TIMEOUT)
  const end = AbortSignal.any([stop, timeout])
  const parts = [informer, ...also]
  const endParts = () => void Promise.all(parts.map((part) => part.stop()))
  end.addEventListener('abort', endParts, { once: true })
  try {
    const listed = Promise.all([...parts.map((part) => part.start()), informer.complete()])
    await Promise.race([rejectWhenRefused(cluster), listed])
    await keda?.informer.start()
  } catch (error) {
    if (stop.aborted) throw new Error('stopped before anything was changed', { cause: error })
    if (!timeout.aborted) throw error
    const what = `the workloads could not all be listed within ${LISTING_TIMEOUT / 1000} s`
    throw new Error(`${what}: the warnings above say why; nothing was changed`, { cause: error })
  } finally {
    end.removeEventListener('abort', endParts)
  }
}
