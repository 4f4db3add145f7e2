import type { NeededWorkload } from '../domain/records/forecast.ts'
import { KINDS, resourceOf, type ConfiguredKind, type Kind } from '../domain/kinds.ts'
import { formOf } from '../domain/sleeping/forms.ts'
import { messageOf } from '../process/errors.ts'
import type { ObjectMeta } from './api-object.ts'
import type { Call } from './api-calls.ts'
import type { KubernetesClient } from './client.ts'
import { ClusterRefusal } from './failures.ts'
import { CONFIGURATION } from './registration/configuration.ts'

interface Service {
  readonly namespace: string
  readonly name: string
}
interface WebhookConfiguration {
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly {
    readonly name: string
    readonly failurePolicy?: string
    readonly clientConfig: { readonly service?: Service | null }
  }[]
}
interface ApiService {
  readonly metadata: ObjectMeta
  readonly spec: { readonly service?: Service | null }
}
type Labels = Readonly<Record<string, string>> | null
interface Templated {
  readonly metadata: ObjectMeta
  readonly spec?: { readonly template?: { readonly metadata?: { readonly labels?: Labels } } }
}
interface Scale {
  readonly status?: { readonly selector?: string }
}

/** The servers that the API server itself calls: admission webhooks and aggregated APIs. */
export interface ApiExtensions {
  /** Workloads whose pods answer those calls. */
  readonly needed: readonly NeededWorkload[]
  /** The namespace of the Service of Dormouse's own webhook; undefined: none was found. */
  readonly ownNamespace: string | undefined
  /** The checks that were not possible, each with its reason. */
  readonly unseen: readonly string[]
}

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const KINDS_WITH_PODS = KINDS.filter((kind) => formOf({ kind }).countsPods)

/** The configured kinds, and where the cluster serves each: `/apis/argoproj.io/v1alpha1`. */
interface Configured {
  readonly kinds: readonly ConfiguredKind[]
  /** @throws ClusterRefusal */
  baseOf(kind: ConfiguredKind, signal: AbortSignal): Promise<string>
}

/**
 * Finds the workloads behind admission webhooks, which refuse writes while nobody answers them, and behind APIServices.
 * Missing permissions are listed in `unseen`. Read-only.
 */
export async function findApiExtensions(
  client: Pick<KubernetesClient, 'call'>,
  configured: Configured,
  signal: AbortSignal,
): Promise<ApiExtensions> {
  const reads = new Reads(client, signal)
  const answered = new Map<string, { service: Service; answers: string }>()
  const add = (service: Service | null | undefined, answers: string) => {
    if (!service) return
    const key = `${service.namespace}/${service.name}`
    const known = answered.get(key)
    answered.set(key, { service, answers: known ? `${known.answers}, ${answers}` : answers })
  }
  let ownNamespace: string | undefined
  for (const resource of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])
    for (const { metadata, webhooks } of await reads.list<WebhookConfiguration>(
      resource,
      `${ADMISSION}/${resource}`,
    ))
      for (const { name, failurePolicy = 'Fail', clientConfig } of webhooks ?? []) {
        if (resource === CONFIGURATION.resource && metadata.name === CONFIGURATION.name)
          ownNamespace = clientConfig.service?.namespace
        else if (failurePolicy === 'Fail') add(clientConfig.service, `webhook ${name}`)
      }
  for (const { metadata, spec } of await reads.list<ApiService>('apiservices', API_SERVICES))
    add(spec.service, `APIService ${metadata.name}`)
  const bases = new Map<Kind, string>(KINDS_WITH_PODS.map((kind) => [kind, '/apis/apps/v1']))
  for (const kind of answered.size === 0 ? [] : configured.kinds) {
    // The informer reports kinds that the cluster does not serve.
    const base = await configured.baseOf(kind, signal).catch(unlessRefused)
    if (base !== undefined) bases.set(kind, base)
  }
  const needed: NeededWorkload[] = []
  for (const { service, answers } of answered.values())
    for (const key of await workloadsBehind(service, bases, reads)) needed.push({ ...key, answers })
  return { needed, ownNamespace, unseen: reads.unseen }
}

async function workloadsBehind({ namespace, name }: Service, bases: ReadonlyMap<Kind, string>, reads: Reads) {
  const inside = (base: string, resource: string) => `${base}/namespaces/${namespace}/${resource}`
  const service = await reads.get<{ spec?: { selector?: Labels } }>(
    'services',
    `${inside('/api/v1', 'services')}/${name}`,
  )
  const selector = Object.entries(service?.spec?.selector ?? {})
  if (selector.length === 0) return []
  const found: Pick<NeededWorkload, 'kind' | 'namespace' | 'name'>[] = []
  for (const [kind, base] of bases) {
    const path = inside(base, resourceOf(kind).resource)
    for (const object of await reads.list<Templated>(kind, path)) {
      const labels = await labelsOfPods(kind, path, object, reads)
      if (selector.every(([key, value]) => labels?.[key] === value))
        found.push({ kind, namespace, name: object.metadata.name })
    }
  }
  return found
}

/** From its pod template; without one, from the selector that its scale subresource shows to autoscalers. */
async function labelsOfPods(
  kind: Kind,
  path: string,
  { metadata, spec }: Templated,
  reads: Reads,
): Promise<Labels | undefined> {
  if (spec?.template) return spec.template.metadata?.labels
  const scale = await reads.get<Scale>(`${kind}/scale`, `${path}/${metadata.name}/scale`)
  const terms = (scale?.status?.selector ?? '').split(',').map((term) => term.split(/==?/))
  return Object.fromEntries(terms.flatMap(([key = '', value]) => (value === undefined ? [] : [[key, value]])))
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ClusterRefusal)) throw error
}

/** Reads that list a refusal in `unseen` instead of failing the command; a missing object is empty. */
class Reads {
  readonly unseen: string[] = []
  readonly #client: Pick<KubernetesClient, 'call'>
  readonly #signal: AbortSignal
  readonly #known = new Map<string, unknown>()

  constructor(client: Pick<KubernetesClient, 'call'>, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  async list<Listed>(resource: string, path: string): Promise<readonly Listed[]> {
    const answer = await this.#read<{ items?: readonly Listed[] }>({ verb: 'list', resource, path })
    return answer?.items ?? []
  }

  get<Answer>(resource: string, path: string): Promise<Answer | undefined> {
    return this.#read({ resource, path })
  }

  /** Each path once: a namespace may have many webhooks. */
  async #read<Answer>(call: Omit<Call, 'method'>): Promise<Answer | undefined> {
    const { path } = call
    if (this.#known.has(path)) return this.#known.get(path) as Answer | undefined
    const answer = await this.#answer<Answer>(call)
    this.#known.set(path, answer)
    return answer
  }

  async #answer<Answer>(call: Omit<Call, 'method'>): Promise<Answer | undefined> {
    try {
      return await this.#client.call<Answer>({ ...call, method: 'GET', signal: this.#signal })
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error
      if (error.status !== 404) this.unseen.push(messageOf(error))
      return undefined
    }
  }
}
