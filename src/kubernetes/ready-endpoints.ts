import { MANAGED_BY_LABEL, MANAGER, SERVICE_LABEL } from '../domain/traffic/slices.ts'
import { delay } from '../process/delay.ts'
import type { Logger } from '../process/logger.ts'
import type { KubernetesClient } from './client.ts'
import { slicesIn } from './endpoint-slices.ts'
import { Reflector } from './reflector.ts'
import { readyAddresses, type ReadyAddresses, type SliceObject } from './traffic-objects.ts'
import { VersionedStore } from './versioned-store.ts'

interface Options {
  readonly client: Pick<KubernetesClient, 'listPage' | 'watch'>
  readonly logger: Logger
}

interface ReadySlice extends ReadyAddresses {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

/**
 * The ready endpoints of one Service in slices of others, listed and watched until it is closed. Copies of all Services'
 * slices would take a large cluster's memory in each waker, and pods are sought for the few that wake at present.
 */
export class ServiceEndpoints {
  readonly #known = new VersionedStore<ReadySlice>({ notify: () => this.#tell() })
  readonly #listeners = new Set<() => void>()
  readonly #closed = new AbortController()
  readonly #listed = Promise.withResolvers<void>()

  constructor({ client, logger }: Options, { namespace, service }: { namespace: string; service: string }) {
    const collection = { ...slicesIn(namespace), labelSelector: `${SERVICE_LABEL}=${service}` }
    const sink = this.#known.sink<SliceObject>((slice) => trimmed(slice, service))
    void new Reflector({ client, collection, sink, logger, delay }, { listed: this.#listed.resolve }).run(
      this.#closed.signal,
    )
  }

  /** Resolves once all are known; never before the cluster answers. */
  get listed(): Promise<void> {
    return this.#listed.promise
  }

  /** Whether there is one, for whatever port. */
  get isReady(): boolean {
    return [...this.#known.list()].some(({ addresses }) => addresses.length > 0)
  }

  /** For the Service's port of this name. */
  of(port: string): { host: string; port: number }[] {
    return [...this.#known.list()].flatMap(({ addresses, ports }) => {
      const number = ports.get(port)
      return number === undefined ? [] : addresses.map((host) => ({ host, port: number }))
    })
  }

  /** Called after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#closed.abort()
    this.#listeners.clear()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Checked in spite of the selector: a server may send others. */
function trimmed(slice: SliceObject, service: string): ReadySlice | undefined {
  const { namespace = '', name, uid, resourceVersion, labels } = slice.metadata
  if (labels?.[SERVICE_LABEL] !== service || labels[MANAGED_BY_LABEL] === MANAGER) return undefined
  return { namespace, name, uid, resourceVersion, ...readyAddresses(slice) }
}
