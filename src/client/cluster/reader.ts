import { CLIENT_MANAGER } from '../../domain/annotations.ts'
import { KINDS, apiVersionOf, isBuiltIn, type ConfiguredKind } from '../../domain/kinds.ts'
import { FORMAT } from '../../domain/records/published.ts'
import type { Accounting } from '../../domain/records/saved.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { KubernetesObject, WorkloadObject } from '../../kubernetes/api-object.ts'
import { KubernetesClient, type Collection } from '../../kubernetes/client.ts'
import { ConfiguredKinds } from '../../kubernetes/configured-kinds.ts'
import type { HttpTransport } from '../../kubernetes/http.ts'
import { ownUsername } from '../../kubernetes/identity.ts'
import { pagesOf } from '../../kubernetes/pages.ts'
import { trim } from '../../kubernetes/trim.ts'
import { NAME } from '../targets.ts'
import { isForbidden, isMissing } from './failures.ts'
import { KnownNamespaces } from './known-namespaces.ts'
import { knownService, type Absence, type KnownService } from './known-service.ts'
import type { PodObject } from './pod-trouble.ts'
import type { KnownRules, Unknowns } from './rules.ts'
import type { ServiceFacts } from './service-notes.ts'

export const NO_OBSERVER = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }
const SETTINGS = '/api/v1/namespaces/kube-public/configmaps/dormouse'
/** Milliseconds: a plugin for single sign-on may take a while. */
const PATIENCE = 60_000
/** As many are enough to say why pods are not ready. */
const SOME_PODS = 50

/** The service's settings, as far as it publishes them, and where its configured kinds are served. */
interface Settled {
  readonly service: KnownService
  readonly configured: ConfiguredKinds
}

/** Reads workloads, Namespaces and the service's published settings with the person's own rights. */
export class ClusterReader implements ServiceFacts {
  readonly client: KubernetesClient
  readonly namespaces = new KnownNamespaces()
  readonly unknowns: Unknowns = { calendars: new Set(), policies: false }
  service: KnownService | undefined
  newer: string | undefined
  seesMarks = false
  readonly #signal: AbortSignal
  readonly #format: number
  /** Configured kinds that make the pods of Deployments, by the Deployment. */
  readonly #podOwners = new Map<string, WorkloadKey>()
  #settled: Promise<Settled> | undefined
  #rules: Promise<KnownRules> | undefined
  #user: string | undefined

  /** `signal` ends all reads; `timeout`: milliseconds; `format`: the highest of the published settings that is read. */
  constructor(
    transport: Pick<HttpTransport, 'send' | 'open'>,
    signal: AbortSignal,
    timeout = PATIENCE,
    format = FORMAT,
  ) {
    this.#signal = signal
    this.#format = format
    this.client = new KubernetesClient({
      transport,
      observer: NO_OBSERVER,
      timeout,
      userAgent: CLIENT_MANAGER,
      locate: async (kind, signal, left) => (await this.settled()).configured.baseOf(kind, signal, left),
    })
  }

  /** Makes the next use read Namespaces and settings again, so that a long watch sees their changes. */
  refresh(): void {
    this.namespaces.refresh()
    this.#settled = undefined
    this.#rules = undefined
  }

  /** Read once, until `refresh`. */
  settled(): Promise<Settled> {
    return (this.#settled ??= this.#settle().catch((error: unknown) => {
      this.#settled = undefined
      throw error
    }))
  }

  async #settle(): Promise<Settled> {
    const service = knownService(await this.#published(), this.#format)
    this.service = service
    this.newer = service.newer
    const configured = new ConfiguredKinds(service.kinds, (call) =>
      this.client.call({ ...call, signal: call.signal ?? this.#signal }),
    )
    return { service, configured }
  }

  async #published(): Promise<Readonly<Record<string, string>> | Absence> {
    try {
      const { data = {} } = await this.#get<{ data?: Record<string, string> }>('configmaps', SETTINGS)
      return data
    } catch (error) {
      if (isMissing(error)) return 'missing'
      if (isForbidden(error)) return 'forbidden'
      throw error
    }
  }

  /** The domain's rules under these settings. They take as long to load as the cluster to answer: not all need them. */
  rules(): Promise<KnownRules> {
    return (this.#rules ??= this.#compileRules().catch((error: unknown) => {
      this.#rules = undefined
      throw error
    }))
  }

  async #compileRules(): Promise<KnownRules> {
    const [{ rulesOf }, { service }] = await Promise.all([import('./rules.ts'), this.settled()])
    const rules = rulesOf(service, {
      namespaceOf: (name) => this.namespaces.of(name),
      isUnreadable: (name) => this.namespaces.isUnreadable(name),
      unknowns: this.unknowns,
      podOwnerOf: ({ kind, namespace, name }) =>
        kind === 'deployments' ? this.#podOwners.get(`${namespace}/${name}`) : undefined,
    })
    this.newer = rules.newer
    return rules
  }

  /** As far as the service publishes it, and this program can read that. */
  async accounting(): Promise<Accounting> {
    const [{ teamOf }, { service }, { newer }] = await Promise.all([
      import('../../domain/records/saved.ts'),
      this.settled(),
      this.rules(),
    ])
    if (newer !== undefined) return { prices: null }
    const { prices = null, teamLabel } = service
    if (teamLabel === undefined) return { prices }
    return {
      prices,
      teamOf: (workload) => teamOf(teamLabel, workload, this.namespaces.of(workload.namespace)),
    }
  }

  #get<Found>(resource: string, path: string): Promise<Found> {
    return this.client.call<Found>({ method: 'GET', verb: 'get', resource, path, signal: this.#signal })
  }

  /** The UIDs of two objects that every cluster has, or each with Dormouse, as far as the person may read them. */
  async clusterIds(): Promise<string[]> {
    const read = await Promise.allSettled([
      this.#get<KubernetesObject>('configmaps', SETTINGS),
      this.#get<KubernetesObject>('namespaces', '/api/v1/namespaces/kube-system'),
    ])
    return read.flatMap((each) => (each.status === 'fulfilled' ? (each.value.metadata.uid ?? []) : []))
  }

  /** The person's name in the cluster; undefined: it does not say. Asked until it is known. */
  async user(): Promise<string | undefined> {
    return (this.#user ??= await ownUsername(this.client, this.#signal).catch(() => undefined))
  }

  async kinds(): Promise<readonly Kind[]> {
    const { service } = await this.settled()
    return [...KINDS, ...service.kinds.map(({ resource }) => resource as ConfiguredKind)]
  }

  /** @throws Refusal NAMESPACE_EXCLUDED */
  async refuseExcluded(namespace: string): Promise<void> {
    const { service } = await this.settled()
    if (!service.excludeNamespaces.has(namespace)) return
    throw new Refusal(
      'NAMESPACE_EXCLUDED',
      `namespace ${namespace} is excluded: Dormouse never touches what is in it (excludeNamespaces of its configuration)`,
    )
  }

  /** The workload and all that its record depends on. */
  async get(key: WorkloadKey): Promise<Workload> {
    const [{ workload }] = await Promise.all([this.read(key), this.namespace(key.namespace)])
    return workload
  }

  /** The workload alone, and its whole object. */
  async read(key: WorkloadKey): Promise<{ workload: Workload; object: WorkloadObject }> {
    const [object] = await Promise.all([this.client.get(key, this.#signal), this.settled()])
    return { workload: await this.trimmed(key.kind, object), object }
  }

  async trimmed(kind: Kind, object: WorkloadObject): Promise<Workload> {
    const { configured } = await this.settled()
    const workload = trim(kind, object, undefined, configured.fields)
    if (workload.annotations.state !== undefined) this.seesMarks = true
    const scales = workload.configured?.scales
    if (scales !== undefined) this.#podOwners.set(`${workload.namespace}/${scales}`, workload)
    return workload
  }

  /** The objects of a kind that selectors match; of a configured kind, wherever the cluster comes to serve it. */
  async collection(
    kind: Kind,
    namespace: string | undefined,
    selectors: Pick<Collection, 'labelSelector' | 'fieldSelector'> = {},
  ): Promise<Collection> {
    const { configured } = await this.settled()
    const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
    if (isBuiltIn(kind))
      return { resource: kind, path: `/apis/${apiVersionOf(kind)}${within}/${kind}`, ...selectors }
    await configured.baseOf(kind)
    const all = configured.collectionOf(kind, within)
    let isFound = true
    return {
      resource: kind,
      ...selectors,
      get path() {
        return all.path
      },
      // Later its definition may have moved to another version.
      async discover(signal) {
        if (!isFound) await all.discover(signal)
        isFound = false
      },
    }
  }

  /** All of one kind; the list ends where the cluster refuses the person that kind. */
  async list(kind: Kind, namespace: string | undefined, labelSelector?: string): Promise<Workload[]> {
    const selectors = labelSelector === undefined ? {} : { labelSelector }
    const collection = await this.collection(kind, namespace, selectors)
    const workloads: Workload[] = []
    for await (const object of this.pages<WorkloadObject>(collection))
      if (isNamed(object)) workloads.push(await this.trimmed(kind, object))
    return workloads
  }

  /** Some of the pods that a selector matches: one page. */
  async pods(namespace: string, labelSelector: string): Promise<PodObject[]> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
    const collection = { resource: 'pods', path, labelSelector }
    const pods: PodObject[] = []
    const page = await this.client.listPage<PodObject>(collection, SOME_PODS, '', this.#signal)
    for await (const pod of page.items) pods.push(pod)
    return pods
  }

  pages<Listed>(collection: Collection): AsyncGenerator<Listed> {
    return pagesOf(this.client, collection, this.#signal)
  }

  /** Reads the Namespace once, until `refresh`. */
  async namespace(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${encodeURIComponent(name)}`
    await this.namespaces.read(name, () => this.#get('namespaces', path))
  }

  /** All of them, where the person may list them; others are read when they are needed. */
  async allNamespaces(): Promise<string[]> {
    const names: string[] = []
    const collection: Collection = { resource: 'namespaces', path: '/api/v1/namespaces', metadataOnly: true }
    for await (const object of this.pages<KubernetesObject>(collection)) {
      this.namespaces.learn(object)
      names.push(object.metadata.name)
    }
    return names
  }
}

/** One of several clusters may be hostile, and names become paths and commands. */
function isNamed({ metadata: { name, namespace } }: WorkloadObject): boolean {
  return NAME.test(name) && NAME.test(namespace ?? '')
}
