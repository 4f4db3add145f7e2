import { compareVersions, FIELD_MANAGER } from '../domain/workload/workload.ts'
import type { Logger } from '../process/logger.ts'
import type { SecretStore, StoredSecret } from './ports.ts'
import type { KubernetesObject } from './api-object.ts'
import type { Call } from './api-calls.ts'
import type { KubernetesClient } from './client.ts'
import type { Delay } from '../process/delay.ts'
import { onStatus } from './failures.ts'
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
    return this.#call({ method: 'GET', path: this.#path }).catch(onStatus([404], undefined))
  }

  /** `conflict`: it exists already. */
  async create(data: StoredSecret['data']): Promise<StoredSecret | 'conflict'> {
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: this.#reference.name, labels: { 'app.kubernetes.io/managed-by': FIELD_MANAGER } },
      type: 'Opaque',
      data: encoded(data),
    }
    const path = `${this.#reference.path}?${MANAGED}`
    return this.#call({ method: 'POST', path, body }).catch(onStatus([409], 'conflict'))
  }

  /** Replaces the whole data and nothing else; `conflict`: it was changed meanwhile, or deleted. */
  async update(data: StoredSecret['data'], resourceVersion: string): Promise<StoredSecret | 'conflict'> {
    // Checked on a real cluster: a stale resourceVersion is a 409.
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/data', value: encoded(data) },
    ]
    const path = `${this.#path}?${MANAGED}`
    const contentType = 'application/json-patch+json'
    return this.#call({ method: 'PATCH', path, contentType, body }).catch(onStatus([404, 409], 'conflict'))
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

  get #path(): string {
    const { path, name } = this.#reference
    return `${path}/${encodeURIComponent(name)}`
  }

  async #call(call: Omit<Call, 'resource'>): Promise<StoredSecret> {
    const { resource } = this.#reference
    return this.#content(await this.#options.client.call<Secret>({ ...call, resource }))
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
