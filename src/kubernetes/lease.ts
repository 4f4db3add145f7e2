import type { Lease, LeaseRecord, LeaseStore } from './ports.ts'
import type { Call } from './api-calls.ts'
import type { KubernetesClient } from './client.ts'
import { onStatus } from './failures.ts'

interface LeaseObject {
  readonly metadata: Readonly<Record<string, unknown>>
  /** Its types are not reliable: the sandbox does not check them, and people edit it by hand. */
  readonly spec?: Readonly<Record<string, unknown>>
}

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  readonly namespace: string
  readonly name: string
  /** False in a cluster, where the chart creates it: otherwise an uninstalled Dormouse could act again. */
  readonly creatable: boolean
}

/** One Lease of `coordination.k8s.io/v1`. Its calls throw `ClusterRefusal` or the signal's reason. */
export class LeaseObjects implements LeaseStore {
  readonly creatable: boolean
  readonly #client: Options['client']
  readonly #namespace: string
  readonly #name: string

  constructor({ client, namespace, name, creatable }: Options) {
    this.creatable = creatable
    this.#client = client
    this.#namespace = namespace
    this.#name = name
  }

  /** undefined: it does not exist. */
  async read(signal: AbortSignal): Promise<Lease | undefined> {
    return this.#call('GET', this.#path, signal).catch(onStatus([404], undefined))
  }

  /** undefined: it exists already; another candidate was quicker. */
  async create(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined> {
    const body = {
      ...TYPE,
      metadata: { name: this.#name, namespace: this.#namespace },
      spec: specOf(record, undefined),
    }
    return this.#call('POST', this.#collection, signal, body).catch(onStatus([409], undefined))
  }

  #lease(object: LeaseObject): Lease {
    const { metadata, spec } = object
    return {
      record: recordOf(spec),
      update: async (record, signal) => {
        const body = { ...TYPE, metadata, spec: specOf(record, spec) }
        return this.#call('PUT', this.#path, signal, body).catch(onStatus([404, 409], undefined))
      },
    }
  }

  /** Never retried here: leader election decides when to try again. */
  async #call(method: Call['method'], path: string, signal: AbortSignal, body?: unknown): Promise<Lease> {
    const call = { method, resource: 'leases', path, signal, body, retries: 0 }
    return this.#lease(await this.#client.call<LeaseObject>(call))
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(this.#namespace)}/leases`
  }

  get #path(): string {
    return `${this.#collection}/${encodeURIComponent(this.#name)}`
  }
}

/** The namespaces that have a Lease of this name; none where we may not list them. @throws ClusterRefusal */
export async function namespacesOfLeases(
  client: Pick<KubernetesClient, 'call'>,
  name: string,
  signal: AbortSignal,
): Promise<string[]> {
  const path = `/apis/coordination.k8s.io/v1/leases?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`
  const call = { method: 'GET', verb: 'list', resource: 'leases', path, signal } as const
  const { items } = await client
    .call<{ items: { metadata: { namespace: string } }[] }>(call)
    .catch(onStatus([403], { items: [] }))
  return items.map(({ metadata }) => metadata.namespace)
}

const TYPE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const

function recordOf(spec: LeaseObject['spec'] = {}): LeaseRecord {
  return {
    holder: text(spec['holderIdentity']) ?? '',
    durationSeconds: count(spec['leaseDurationSeconds']),
    acquireTime: text(spec['acquireTime']),
    renewTime: text(spec['renewTime']),
    transitions: count(spec['leaseTransitions']) ?? 0,
  }
}

function specOf(record: LeaseRecord, before: LeaseObject['spec']): Readonly<Record<string, unknown>> {
  const { holder, durationSeconds, acquireTime, renewTime, transitions } = record
  return {
    ...before,
    holderIdentity: holder === '' ? undefined : holder,
    leaseDurationSeconds: durationSeconds,
    acquireTime,
    renewTime,
    leaseTransitions: Math.min(transitions, INT32_MAX),
  }
}

const INT32_MAX = 2 ** 31 - 1

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}
