import { setTimeout as pause } from 'node:timers/promises'
import type { Kind } from '../../domain/workload/workload.ts'
import type { KubernetesObject, WorkloadObject } from '../../kubernetes/api-object.ts'
import type { Collection, KubernetesClient } from '../../kubernetes/client.ts'
import { Reflector } from '../../kubernetes/reflector.ts'

/** An object of one kind, as it is now, or as it was when it was deleted. */
export interface Change {
  readonly kind: Kind
  readonly object: WorkloadObject
  readonly gone: boolean
}

/**
 * All objects of some collections, then each change of them, until the signal is aborted or nobody reads any more; every
 * failure is retried.
 */
export async function* changesOf(
  client: Pick<KubernetesClient, 'listPage' | 'watch'>,
  collections: ReadonlyMap<Kind, Collection>,
  signal: AbortSignal,
  warn: (text: string) => void,
): AsyncGenerator<Change> {
  const queue: Change[] = []
  let arrived = Promise.withResolvers<void>()
  const push = (change: Change) => {
    queue.push(change)
    arrived.resolve()
  }
  const left = new AbortController()
  const ended = AbortSignal.any([signal, left.signal])
  ended.addEventListener('abort', () => arrived.resolve(), { once: true })
  const running = [...collections].map(([kind, collection]) =>
    reflectorOf(client, kind, collection, push, warn).run(ended),
  )
  try {
    while (!ended.aborted) {
      const next = queue.shift()
      if (next) yield next
      else {
        arrived = Promise.withResolvers()
        await arrived.promise
      }
    }
  } finally {
    left.abort()
    await Promise.all(running)
  }
}

function reflectorOf(
  client: Pick<KubernetesClient, 'listPage' | 'watch'>,
  kind: Kind,
  collection: Collection,
  push: (change: Change) => void,
  warn: (text: string) => void,
): Reflector<WorkloadObject & KubernetesObject> {
  const known = new Map<string, WorkloadObject>()
  const nameOf = ({ metadata }: WorkloadObject) => `${metadata.namespace ?? ''}/${metadata.name}`
  const put = (object: WorkloadObject) => {
    const before = known.get(nameOf(object))
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return
    known.set(nameOf(object), object)
    push({ kind, object, gone: false })
  }
  const remove = (object: WorkloadObject) => {
    if (known.delete(nameOf(object))) push({ kind, object, gone: true })
  }
  const sink = {
    put,
    delete: remove,
    retain(listed: ReadonlySet<string>) {
      for (const [name, object] of known) if (!listed.has(name)) remove(object)
    },
  }
  const logger = {
    warn: (about: unknown) =>
      warn(`the watch of ${kind} was interrupted, and is tried again: ${reasonOf(about)}`),
    debug() {},
  }
  const delay = (milliseconds: number, signal?: AbortSignal) =>
    pause(milliseconds, undefined, signal ? { signal } : {})
  return new Reflector({ client, collection, sink, logger, delay })
}

function reasonOf(about: unknown): string {
  const { error } = about as { error?: string }
  return error ?? 'the connection ended'
}
