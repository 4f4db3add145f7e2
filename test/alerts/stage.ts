import type { Kind } from '../../src/domain/workload/workload.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { behind } from '../faults/through-faults.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'
import { createNamespace } from '../support/served.ts'
import { asleepNow } from '../support/schedules.ts'

const NAMESPACE = 'shop'

interface StageOptions {
  readonly settings?: Settings
  /** A module that Dormouse loads first. */
  readonly preload?: string
  readonly readyAfterMs?: number
}

/** A sandbox and a Dormouse of its own, so that a fault injected there affects no other test. */
export class Stage {
  readonly name: string
  readonly cluster: StartedCluster
  /** Between the two. */
  readonly proxy: FaultProxy
  readonly dormouse: Dormouse

  private constructor(name: string, cluster: StartedCluster, proxy: FaultProxy, dormouse: Dormouse) {
    this.name = name
    this.cluster = cluster
    this.proxy = proxy
    this.dormouse = dormouse
  }

  static async start(
    name: string,
    { settings = {}, preload, readyAfterMs }: StageOptions = {},
  ): Promise<Stage> {
    const cluster = await startSandboxCluster(readyAfterMs === undefined ? {} : { readyAfterMs })
    await createNamespace(cluster, NAMESPACE)
    const proxy = await FaultProxy.before(cluster.dormouseKubeconfig)
    const behindIt = behind(proxy, cluster)
    const dormouse = await Dormouse.start(behindIt, { newWorkloadGrace: '0s', ...settings }, preload)
    await eventually('it to lead', async () => sumOf(await dormouse.metrics(), 'dormouse_leader') === 1)
    return new Stage(name, cluster, proxy, dormouse)
  }

  /** The target for Prometheus; the label tells the stages apart. */
  get target(): { target: string; labels: Record<string, string> } {
    return { target: new URL(this.dormouse.metricsUrl).host, labels: { cluster: this.name } }
  }

  path(kind: Kind, name: string): string {
    return `/apis/apps/v1/namespaces/${NAMESPACE}/${kind}/${name}`
  }

  async create(kind: Kind, name: string, annotations?: Record<string, string>): Promise<void> {
    await this.cluster.create(NAMESPACE, [manifest(kind, name, annotations ? { annotations } : {})])
  }

  /** Creates a workload that its schedule puts to sleep; resolves once it is asleep. */
  async asleep(kind: Kind, name: string): Promise<void> {
    await this.create(kind, name, annotated(asleepNow()))
    await eventually(`${name} to sleep`, async () => (await this.get(kind, name)).spec.replicas === 0)
  }

  async get(kind: Kind, name: string): Promise<KubectlObject> {
    return (await this.cluster.admin.expect('GET', this.path(kind, name))) as unknown as KubectlObject
  }

  async annotate(kind: Kind, name: string, annotations: Record<string, string>): Promise<void> {
    await this.patch(this.path(kind, name), { metadata: { annotations } })
  }

  /** A merge patch by the administrator; returns the answer's status. */
  async patch(path: string, body: object): Promise<number> {
    return (await this.cluster.admin.send('PATCH', path, body)).status
  }

  async stop(): Promise<void> {
    await this.dormouse.kill()
    await this.dormouse.stop()
    await this.proxy.stop()
    await this.cluster.stop()
  }
}
