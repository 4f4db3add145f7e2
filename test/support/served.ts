import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { apiVersionOf, factsOf } from '../../src/domain/kinds.ts'
import { KIND_NAME, type Kind } from '../../src/domain/workload/workload.ts'
import type { Answer } from '../control-plane/client.ts'
import type { ApiClient, WorkloadClient } from './api-client.ts'
import type { Cluster } from './cluster.ts'
import { Dormouse, type Settings } from './dormouse.ts'
import { eventually } from './eventually.ts'
import type { KubectlObject, KubectlResult } from './kubectl.ts'
import { manifest, type ManifestOptions } from './manifests.ts'

/** An Event, as much as the tests look at. */
export interface KubectlEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly involvedObject: { readonly kind: string; readonly name: string }
}

interface EnabledOptions extends ManifestOptions {
  readonly schedule?: string
}

/** The resources of one `describeOn`, for its hooks and tests. */
export interface Served {
  readonly cluster: Cluster
  readonly dormouse: Dormouse
  readonly api: ApiClient
  /** The namespace of these tests. */
  readonly namespace: string
  workload(kind: Kind, name: string): WorkloadClient
  /** Path of a workload at the API server, or of the collection. */
  path(kind: Kind, name?: string): string
  /** The object as the API server has it. */
  get(kind: Kind, name: string): Promise<KubectlObject>
  /** All of a kind; `query` with its question mark. */
  list(kind: Kind, query?: string): Promise<KubectlObject[]>
  /** Events, of one object if it is named. */
  events(name?: string): Promise<KubectlEvent[]>
  /** Sets annotations as the administrator, without kubectl; null removes one. */
  annotate(kind: Kind, name: string, annotations: Readonly<Record<string, string | null>>): Promise<void>
  /** kubectl in the namespace. */
  kubectl(...args: string[]): Promise<string>
  /** The same, whatever its exit code. */
  attempt(...args: string[]): Promise<KubectlResult>
  /** `kubectl <verb> -f -` in the namespace, whatever its exit code. */
  withFile(verb: string, object: object, ...args: string[]): Promise<KubectlResult>
  /** Sets the scale subresource as the administrator, without kubectl; returns any answer. */
  scale(kind: Kind, name: string, replicas: number): Promise<Answer>
  /** Creates a workload; resolves once its pods are ready. */
  create(kind: Kind, name: string, options?: ManifestOptions): Promise<WorkloadClient>
  /** Creates a workload that Dormouse manages, by a schedule if one is given. */
  enabled(kind: Kind, name: string, options?: EnabledOptions): Promise<WorkloadClient>
  /** Creates a workload that a request has put to sleep; resolves once its pods are gone. */
  asleep(kind: Kind, name: string, options?: EnabledOptions): Promise<WorkloadClient>
  /** How many patches Dormouse has sent to a workload since an instant, or to all of a kind. */
  patches(since: number, kind: Kind, name?: string): Promise<number>
  /** Resolves once the workload's pods have followed its spec. */
  settled(kind: Kind, name: string): Promise<KubectlObject>
}

/** Starts Dormouse and creates a namespace before the tests, and removes both after them. `preload`: as `Dormouse.start`. */
export function served(on: () => Cluster, settings: Settings = {}, preload?: string): Served {
  const namespace = `e2e-${randomBytes(4).toString('hex')}`
  const inNamespace = ['-n', namespace]
  let dormouse: Dormouse | undefined
  const running = () => {
    if (!dormouse) throw new TypeError('Dormouse runs only within hooks and tests')
    return dormouse
  }

  before('Dormouse runs', async function () {
    this.timeout(120_000)
    await createNamespace(on(), namespace)
    dormouse = await Dormouse.start(on(), settings, preload)
  })

  afterEach('shows the log of a failure', function () {
    if (this.currentTest?.state === 'failed')
      process.stderr.write(`${dormouse?.lastLines() ?? 'dormouse was never started'}\n`)
  })

  after('Dormouse ends with 0 and logged no error', async function () {
    this.timeout(120_000)
    await dormouse?.stop()
    const errors = dormouse?.log.filter(({ level }) => level === 'error' || level === 'fatal')
    expect(errors ?? [], 'errors in the log').to.deep.equal([])
    if (dormouse) await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  const path = (kind: Kind, name = '') =>
    `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}${name === '' ? '' : `/${name}`}`
  const get = async (kind: Kind, name: string) =>
    (await on().admin.expect('GET', path(kind, name))) as unknown as KubectlObject
  const settled = (kind: Kind, name: string) =>
    eventually(
      `${kind}/${name} to settle`,
      async () => {
        const object = await get(kind, name)
        return hasFollowed(object) && object
      },
      { timeout: 120_000 },
    )
  const create: Served['create'] = async (kind, name, options) => {
    await on().create(namespace, [manifest(kind, name, options)])
    await settled(kind, name)
    return running().api.workload(kind, namespace, name)
  }
  const enabled: Served['enabled'] = async (kind, name, { schedule, ...options } = {}) => {
    const workload = await create(kind, name, options)
    await workload.enable(schedule === undefined ? undefined : { schedule })
    return workload
  }
  return {
    get cluster() {
      return on()
    },
    get dormouse() {
      return running()
    },
    get api() {
      return running().api
    },
    namespace,
    workload: (kind, name) => running().api.workload(kind, namespace, name),
    path,
    get,
    async list(kind, query = '') {
      const { items = [] } = await on().admin.expect('GET', `${path(kind)}${query}`)
      // The items of a list do not name their kind.
      return items.map((item) => ({ ...item, kind: factsOf(kind).name }) as unknown as KubectlObject)
    },
    async events(name) {
      return eventsOf(on(), namespace, name)
    },
    async annotate(kind, name, annotations) {
      await on().admin.expect('PATCH', path(kind, name), { metadata: { annotations } })
    },
    kubectl: (...args) => on().kubectl(...args, ...inNamespace),
    attempt: (...args) => on().kubectl.attempt([...args, ...inNamespace]),
    withFile: (verb, object, ...args) => on().kubectl.withFile(verb, object, ...inNamespace, ...args),
    scale: (kind, name, replicas) =>
      on().admin.send('PATCH', `${path(kind, name)}/scale`, { spec: { replicas } }),
    create,
    enabled,
    async asleep(kind, name, options) {
      const workload = await enabled(kind, name, options)
      await workload.snooze('?wait=60s')
      return workload
    },
    async patches(since, kind, name) {
      const requests = await on().requestsSince(since)
      return requests.filter(({ verb, url }) => verb === 'write' && url.startsWith(path(kind, name))).length
    },
    settled,
  }
}

/** The Events in a namespace, of one object if it is named. */
export async function eventsOf(
  { admin }: Cluster,
  namespace: string,
  name?: string,
): Promise<KubectlEvent[]> {
  const selector = name === undefined ? '' : `?fieldSelector=involvedObject.name%3D${name}`
  const { items = [] } = await admin.expect('GET', `/api/v1/namespaces/${namespace}/events${selector}`)
  return items as unknown as KubectlEvent[]
}

/** On a real cluster with the service account that pods need. */
export async function createNamespace(cluster: Cluster, name: string): Promise<void> {
  await cluster.admin.expect('POST', '/api/v1/namespaces', { metadata: { name } })
  if (!cluster.isReal) return
  await eventually(`the service account of ${name}`, async () => {
    const { status } = await cluster.admin.send('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)
    return status === 200
  })
}

/** Whether the controllers have seen the newest spec, and the pods are as many and as ready as it says. */
export function hasFollowed({ kind, spec, status, metadata }: KubectlObject): boolean {
  if (kind === KIND_NAME.cronjobs) return true
  const { generation } = metadata
  if (!status || (status.observedGeneration ?? 0) < generation) return false
  if (kind === KIND_NAME.daemonsets) {
    const wanted = status.desiredNumberScheduled ?? 0
    return (status.numberReady ?? 0) === wanted && (status.currentNumberScheduled ?? 0) === wanted
  }
  const wanted = spec.replicas ?? 1
  return (status.replicas ?? 0) === wanted && (status.readyReplicas ?? 0) === wanted
}
