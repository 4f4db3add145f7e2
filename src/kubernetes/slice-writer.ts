import type { SliceCopy } from '../domain/traffic/copies.ts'
import type { OwnerReference, Slice } from '../domain/traffic/slices.ts'
import { FIELD_MANAGER } from '../domain/workload/workload.ts'
import { retryDelay, type Delay } from '../process/delay.ts'
import { Refusal } from '../process/errors.ts'
import type { Logger } from '../process/logger.ts'
import type { Call } from './api-calls.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { SLICE_TYPE, sliceDeletion, slicesIn } from './endpoint-slices.ts'
import { ClusterRefusal, onStatus } from './failures.ts'
import type { Gate } from './patcher.ts'
import type { SliceWriting, Stopping, WritePriority } from './ports.ts'
import type { SliceObject } from './traffic-objects.ts'

const MANAGED = `?fieldManager=${FIELD_MANAGER}`
/** Milliseconds before the owner is asked for again: the first, and the longest. */
const OWNER_RETRY = [200, 10_000] as const

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  /** Stores the result of a patch. */
  readonly copy: { applied(slice: SliceObject): void }
  readonly gate: Gate
}

/** Writes our EndpointSlices in their turn among all writes. */
export class SliceWriter implements SliceWriting {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  async create(slice: Slice, stopping: Stopping): Promise<void> {
    const { resource, path } = slicesIn(slice.metadata.namespace)
    const call = {
      method: 'POST',
      contentType: 'application/json',
      body: { ...SLICE_TYPE, ...slice },
    } as const
    await this.#send('snooze', slice.metadata, { ...call, resource, path: path + MANAGED }, stopping)
  }

  async replace(
    standing: SliceCopy,
    { metadata, ports, endpoints }: Slice,
    stopping: Stopping,
  ): Promise<void> {
    const { labels, annotations, ownerReferences } = metadata
    // Whole lists and maps: what others added goes.
    const set = Object.entries({ labels, annotations, ...(ownerReferences && { ownerReferences }) })
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: standing.resourceVersion },
      ...set.map(([name, value]) => ({ op: 'add', path: `/metadata/${name}`, value })),
      { op: 'add', path: '/ports', value: ports },
      { op: 'add', path: '/endpoints', value: endpoints },
    ]
    const { resource, path } = slicesIn(standing.namespace)
    const call = {
      method: 'PATCH',
      resource,
      path: `${path}/${encodeURIComponent(standing.name)}${MANAGED}`,
      contentType: 'application/json-patch+json',
      body,
    } as const
    const written = await this.#send<SliceObject>('snooze', standing, call, stopping).catch(
      conflictOn(standing, [404, 409]),
    )
    this.#options.copy.applied(written)
  }

  async remove(standing: SliceCopy, stopping: Stopping): Promise<void> {
    const { uid, resourceVersion } = standing
    // Pods are ready, or nothing answers there any more: it goes first.
    await this.#send('follow-up', standing, sliceDeletion(standing, { uid, resourceVersion }), stopping)
      .catch(onStatus([404], undefined))
      .catch(conflictOn(standing, [409]))
  }

  #send<Answer>(
    priority: WritePriority,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    call: Call,
    { signal, cut }: Stopping,
  ): Promise<Answer> {
    const { client, gate } = this.#options
    const send = (timeout: number | undefined) => client.call<Answer>({ ...call, signal: cut, timeout })
    return gate.run(priority, send, { key: `${call.resource}/${namespace}/${name}`, signal })
  }
}

function conflictOn({ namespace, name }: SliceCopy, statuses: readonly number[]) {
  return (error: unknown): never => {
    if (error instanceof ClusterRefusal && statuses.includes(error.status))
      throw new Refusal('CONFLICT', `EndpointSlice ${name} in ${namespace} was changed by others meanwhile`)
    throw error
  }
}

/**
 * The owner of all our slices, so that they are deleted with it: a ClusterRole of this name; undefined: it is not there, or
 * may not be read. Asks again until there is an answer; throws the signal's reason.
 */
export async function sliceOwner(
  { client, logger, delay }: { client: Pick<KubernetesClient, 'call'>; logger: Logger; delay: Delay },
  name: string,
  signal: AbortSignal,
): Promise<OwnerReference | undefined> {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const path = `/apis/${apiVersion}/clusterroles/${encodeURIComponent(name)}`
  for (let times = 1; ; times++) {
    try {
      const { metadata } = await client.call<KubernetesObject>({
        method: 'GET',
        resource: 'clusterroles',
        path,
        signal,
      })
      return { apiVersion, kind: 'ClusterRole', name, uid: metadata.uid }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ClusterRefusal)) throw error
      const isAnswer = error.status === 403 || error.status === 404
      logger[isAnswer ? 'warn' : 'debug'](
        { owner: name, error: error.message },
        'EndpointSlices have no owner',
      )
      if (isAnswer) return undefined
      await delay(retryDelay(times, ...OWNER_RETRY), signal)
    }
  }
}
