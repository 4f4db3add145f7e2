import { compareVersions, FIELD_MANAGER } from '../domain/workload/workload.ts'
import type { Logger } from '../service/process/logger.ts'
import type { SecretStore, StoredSecret } from './ports.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import type { Delay } from './delay.ts'
import { ClusterRefusal } from './failures.ts'
import { watchObject, type ObjectReference } from './single-object.ts'

interface Secret extends KubernetesObject {
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

interface Options {
  readonly client: Pick<KubernetesClient, 'call' | 'listPage' | 'watch'>
  readonly namespace: string
  readonly name: string
  readonly logger: Logger
  readonly delay?: Delay
}

/**
 * One Secret of text values. Several replicas write it, so each write names the version that it replaces. Throws
 * `ClusterRefusal`.
 */
export class OneSecret implements SecretStore {
  readonly #options: Options
  readonly #reference: ObjectReference
  /** The newest version that was read or written here; the watch may be behind it. */
  #newest = ''

  constructor(options: Options) {
    this.#options = options
    const path = `/api/v1/namespaces/${encodeURIComponent(options.namespace)}/secrets`
    this.#reference = { resource: 'secrets', path, name: options.name }
  }

  /** undefined: it does not exist. */
  async read(): Promise<StoredSecret | undefined> {
    try {
      return this.#content(await this.#call<Secret>('GET', 'get'))
    } catch (error) {
      if (error instanceof ClusterRefusal && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }

  /** `conflict`: it exists already. */
  async create(data: StoredSecret['data']): Promise<StoredSecret | 'conflict'> {
    const { client, name } = this.#options
    const { resource, path } = this.#reference
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: { 'app.kubernetes.io/managed-by': FIELD_MANAGER } },
      type: 'Opaque',
      data: encoded(data),
    }
    return this.#written([409], () =>
      client.call<Secret>({ method: 'POST', verb: 'create', resource, path: `${path}?${MANAGED}`, body }),
    )
  }

  /** Replaces the whole data and nothing else; `conflict`: it was changed meanwhile, or deleted. */
  async update(data: StoredSecret['data'], resourceVersion: string): Promise<StoredSecret | 'conflict'> {
    // Checked on a real cluster: a stale resourceVersion is a 409.
    const operations = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/data', value: encoded(data) },
    ]
    return this.#written([404, 409], () => this.#call<Secret>('PATCH', 'patch', operations))
  }

  /**
   * Calls the listener with the Secret as it is and at each change; never with a version older than one read or written
   * here.
   */
  async watch(listener: (secret: StoredSecret | undefined) => void, signal: AbortSignal): Promise<void> {
    const { client, logger, delay } = this.#options
    const options = { client, logger, reference: this.#reference, ...(delay && { delay }) }
    await watchObject<Secret>(
      options,
      (secret, version) => {
        if (compareVersions(version, this.#newest) < 0) return
        listener(secret && this.#content(secret))
      },
      signal,
    )
  }

  async #written(
    conflicts: readonly number[],
    write: () => Promise<Secret>,
  ): Promise<StoredSecret | 'conflict'> {
    try {
      return this.#content(await write())
    } catch (error) {
      if (error instanceof ClusterRefusal && conflicts.includes(error.status)) return 'conflict'
      throw error
    }
  }

  async #call<Answer>(method: 'GET' | 'PATCH', verb: string, body?: unknown): Promise<Answer> {
    const { resource, path, name } = this.#reference
    return this.#options.client.call({
      method,
      verb,
      resource,
      path: `${path}/${encodeURIComponent(name)}${body === undefined ? '' : `?${MANAGED}`}`,
      ...(body !== undefined && { contentType: 'application/json-patch+json', body }),
    })
  }

  #content({ metadata, data = {} }: Secret): StoredSecret {
    const { resourceVersion } = metadata
    if (compareVersions(resourceVersion, this.#newest) > 0) this.#newest = resourceVersion
    const decode = (value: string) => Buffer.from(value, 'base64').toString()
    return {
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)])),
      resourceVersion,
    }
  }
}

const MANAGED = `fieldManager=${FIELD_MANAGER}`

function encoded(data: StoredSecret['data']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
}
