import type { Logger } from '../logger.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal, refusalOf } from './failures.ts'

/** Which object: `path` is that of its collection, `/api/v1/namespaces/dormouse/secrets`. */
export interface ObjectReference {
  readonly resource: string
  readonly path: string
  readonly name: string
}

interface Options {
  readonly client: Pick<KubernetesClient, 'call' | 'watchCollection'>
  readonly reference: ObjectReference
  readonly logger: Logger
  readonly delay?: Delay
  /** Milliseconds without an event or bookmark after which a watch is replaced; bookmarks come each minute. */
  readonly silence?: number
}

/** The object as it is now; undefined: there is none. `version` is the collection's. */
export type Seen<T> = (object: T | undefined, version: string) => void

interface List<T> {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly T[] | null
}

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5000
const LONGEST_RETRY_AFTER_S = 30

/**
 * Tells of one object as it is, and of each change: listed once, watched on from there, resumed after a
 * cut, listed anew only when the cluster has forgotten the version (410) or refuses. Resolves when the
 * signal is aborted; never rejects.
 */
export async function watchObject<T extends KubernetesObject>(
  { client, reference, logger, delay = systemDelay, silence = 150_000 }: Options,
  seen: Seen<T>,
  signal: AbortSignal,
): Promise<void> {
  const { resource, path, name } = reference
  const fieldSelector = `metadata.name=${name}`
  let version: string | undefined
  let failures = 0

  const list = async (): Promise<string> => {
    const query = new URLSearchParams({ fieldSelector }).toString()
    const found = await client.call<List<T>>({
      method: 'GET',
      verb: 'list',
      resource,
      path: `${path}?${query}`,
      signal,
      retries: 0,
    })
    const { resourceVersion } = found.metadata
    // A server that does not know the selector answers with the others too.
    seen(
      found.items?.find(({ metadata }) => metadata.name === name),
      resourceVersion,
    )
    return resourceVersion
  }

  const follow = async (from: string): Promise<void> => {
    const timeoutSeconds = 300 + Math.floor(Math.random() * 300)
    const options = { resourceVersion: from, timeoutSeconds, silence, signal, fieldSelector }
    for await (const event of await client.watchCollection<T>(resource, path, options)) {
      if (event.type === 'ERROR') throw refusalOf(`watch ${resource}`, event.object.code ?? 500, event.object)
      failures = 0
      version = event.object.metadata.resourceVersion
      if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) continue
      seen(event.type === 'DELETED' ? undefined : event.object, version)
    }
  }

  while (!signal.aborted) {
    let asked = 0
    try {
      version ??= await list()
      await follow(version)
    } catch (error) {
      if (signal.aborted) return
      const answered = error instanceof ClusterRefusal ? error : undefined
      // Cut, late, throttled or failing: the version still counts. Anything else: begin again.
      if (answered?.code !== 'CLUSTER_UNAVAILABLE') version = undefined
      asked = answered?.status === 429 ? Math.min(answered.retryAfter ?? 0, LONGEST_RETRY_AFTER_S) : 0
      const level = failures === 0 ? 'warn' : 'debug'
      logger[level]({ err: error, resource, name }, 'the watch of one object failed and is tried again')
    }
    failures++
    const pause = retryDelay(failures, FIRST_RETRY_MS, LONGEST_RETRY_MS)
    await delay(asked * 1000 + pause, signal).catch(() => {})
  }
}
