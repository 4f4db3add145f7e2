import { setTimeout as pause } from 'node:timers/promises'
import type { Kind } from '../../domain/workload/workload.ts'
import type { KubernetesObject, WorkloadObject } from '../../kubernetes/api-object.ts'
import type { Collection, KubernetesClient } from '../../kubernetes/client.ts'
import type { NoAnswer } from '../../kubernetes/failures.ts'
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
  const outages = new Outages(warn)
  const running = [...collections].map(([kind, collection]) =>
    reflectorOf(client, kind, collection, push, outages).run(ended),
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
  outages: Outages,
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
    warn: (about: unknown, text = '') => outages.begins(kind, about as Fault, text),
    debug() {},
  }
  const delay = (milliseconds: number, signal?: AbortSignal) =>
    pause(milliseconds, undefined, signal ? { signal } : {})
  const connected = (is: boolean) => is && outages.ends(kind)
  return new Reflector({ client, collection, sink, logger, delay }, { connected })
}

/** How a reflector logs why it tries again. */
interface Fault {
  readonly reason?: string
  readonly error?: string
}

/** Failures without an answer concern the cluster, and so all kinds. */
const OF_THE_CLUSTER: ReadonlySet<unknown> = new Set<NoAnswer>(['unreachable', 'cut', 'timeout', 'silent'])

/** Reports which kinds cannot be followed at present; an outage of the cluster once for all kinds. */
class Outages {
  readonly #warn: (text: string) => void
  readonly #away = new Set<Kind>()

  constructor(warn: (text: string) => void) {
    this.#warn = warn
  }

  begins(kind: Kind, { reason, error }: Fault, text: string): void {
    if (error === undefined) return this.#warn(`${kind}: ${text}`)
    if (!OF_THE_CLUSTER.has(reason))
      return this.#warn(`the list of ${kind} was interrupted, and is followed again: ${error}`)
    if (this.#away.size === 0) this.#warn(`what is shown may be old, until this is over: ${error}`)
    this.#away.add(kind)
  }

  ends(kind: Kind): void {
    if (this.#away.delete(kind) && this.#away.size === 0)
      this.#warn('the cluster answers again: what is shown is current')
  }
}
