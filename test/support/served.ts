import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { KIND_NAME, type Kind } from '../../src/domain/workload.ts'
import type { ApiClient, WorkloadClient } from './api-client.ts'
import type { Cluster } from './cluster.ts'
import { Dormouse, type Settings } from './dormouse.ts'
import { eventually } from './eventually.ts'
import type { KubectlObject } from './kubectl.ts'
import { manifest, type ManifestOptions } from './manifests.ts'

/** Everything that the tests of one `describeOn` need, within its hooks and tests. */
export interface Served {
  readonly cluster: Cluster
  readonly dormouse: Dormouse
  readonly api: ApiClient
  /** A namespace of its own. */
  readonly namespace: string
  workload(kind: Kind, name: string): WorkloadClient
  /** What `kubectl get` shows. */
  get(kind: Kind, name: string): Promise<KubectlObject>
  /** kubectl in the namespace. */
  kubectl(...args: string[]): Promise<string>
  /** Creates a workload and resolves once its pods are ready. */
  create(kind: Kind, name: string, options?: ManifestOptions): Promise<WorkloadClient>
  /** Resolves once the workload's pods have followed its spec. */
  settled(kind: Kind, name: string): Promise<KubectlObject>
}

/** Starts Dormouse and makes a namespace before the tests, and takes both away after them. */
export function served(on: () => Cluster, settings: Settings = {}): Served {
  const namespace = `e2e-${randomBytes(4).toString('hex')}`
  let dormouse: Dormouse | undefined
  const running = () => {
    if (!dormouse) throw new TypeError('Dormouse runs only within hooks and tests')
    return dormouse
  }

  before('Dormouse runs', async function () {
    this.timeout(60_000)
    await createNamespace(on(), namespace)
    dormouse = await Dormouse.start(on(), settings)
  })

  afterEach('shows the log of a failure', function () {
    if (this.currentTest?.state === 'failed')
      process.stderr.write(`${dormouse?.lastLines() ?? 'dormouse was never started'}\n`)
  })

  after('Dormouse ends with 0, and had no fault of its own', async function () {
    this.timeout(60_000)
    await dormouse?.stop()
    const errors = dormouse?.log.filter(({ level }) => level === 'error' || level === 'fatal')
    expect(errors ?? [], 'what it logged as faults of its own').to.deep.equal([])
    if (dormouse) await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  const get = (kind: Kind, name: string) => on().kubectl.json('get', kind, name, '-n', namespace)
  const settled = (kind: Kind, name: string) =>
    eventually(
      `${kind}/${name} to settle`,
      async () => {
        const path = `/apis/apps/v1/namespaces/${namespace}/${kind}/${name}`
        const object = (await on().admin.expect('GET', path)) as unknown as KubectlObject
        return hasFollowed(object) && object
      },
      { timeout: 60_000 },
    )
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
    get,
    kubectl: (...args) => on().kubectl(...args, '-n', namespace),
    async create(kind, name, options) {
      await on().create(namespace, [manifest(kind, name, options)])
      await settled(kind, name)
      return running().api.workload(kind, namespace, name)
    },
    settled,
  }
}

/** With the service account that pods need, where the cluster makes one. */
export async function createNamespace(cluster: Cluster, name: string): Promise<void> {
  await cluster.admin.expect('POST', '/api/v1/namespaces', { metadata: { name } })
  if (!cluster.isReal) return
  await eventually(`the service account of ${name}`, async () => {
    const { status } = await cluster.admin.send('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)
    return status === 200
  })
}

/** Whether the controllers have seen the newest spec and its pods are as many and as ready as it asks. */
export function hasFollowed({ kind, spec, status, metadata }: KubectlObject): boolean {
  const { generation } = metadata
  if (!status || (status.observedGeneration ?? 0) < generation) return false
  if (kind === KIND_NAME.daemonsets) {
    const wanted = status.desiredNumberScheduled ?? 0
    return (status.numberReady ?? 0) === wanted && (status.currentNumberScheduled ?? 0) === wanted
  }
  const wanted = spec.replicas ?? 1
  return (status.replicas ?? 0) === wanted && (status.readyReplicas ?? 0) === wanted
}
