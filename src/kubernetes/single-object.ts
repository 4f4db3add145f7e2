import type { Logger } from '../process/logger.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, type Delay } from '../process/delay.ts'
import { Reflector, type Outranks, type Progress } from './reflector.ts'

/** The reference of one object: `path` is that of its collection, `/api/v1/namespaces/dormouse/secrets`. */
export interface ObjectReference {
  readonly resource: string
  readonly path: string
  readonly name: string
}

interface Options {
  readonly client: Pick<KubernetesClient, 'listPage' | 'watch'>
  readonly reference: ObjectReference
  readonly logger: Logger
  readonly delay?: Delay
  /** Milliseconds: the longest pause before a retry; default 5,000. */
  readonly longestRetry?: number
  readonly progress?: Progress
}

/** The object as it is now; undefined: it does not exist. `version` is its own, or the collection's without it. */
export type Seen<T> = (object: T | undefined, version: string) => void

/** Nothing waits for these objects: they may catch up later than workloads. */
const LONGEST_RETRY_MS = 5000

/** Calls back with one object as it is, and at each change. Resolves when the signal is aborted; never rejects. */
export async function watchObject<T extends KubernetesObject>(
  { client, reference, logger, delay = systemDelay, longestRetry = LONGEST_RETRY_MS, progress }: Options,
  seen: Seen<T>,
  signal: AbortSignal,
): Promise<void> {
  const { resource, path, name } = reference
  // Checked in spite of the selector: a server that does not know the selector sends other objects, too.
  const isSought = ({ metadata }: T) => metadata.name === name
  const sink = {
    put(object: T) {
      if (isSought(object)) seen(object, object.metadata.resourceVersion)
    },
    delete(object: T) {
      if (isSought(object)) seen(undefined, object.metadata.resourceVersion)
    },
    retain(listed: ReadonlySet<string>, _: Outranks, version: string) {
      if (![...listed].some((key) => key.endsWith(`/${name}`))) seen(undefined, version)
    },
  }
  const collection = { resource, path, fieldSelector: `metadata.name=${name}` }
  const options = { client, collection, sink, logger, delay, longestRetry }
  await new Reflector<T>(options, progress).run(signal)
}
