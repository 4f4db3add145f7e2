import type { Kind } from '../../src/domain/workload.ts'
import { Dormouse, type Settings } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'
import { createNamespace } from '../support/served.ts'
import { asleepNow } from '../support/schedules.ts'

const NAMESPACE = 'shop'
const MERGE = { 'content-type': 'application/merge-patch+json' }

interface StageOptions {
  readonly settings?: Settings
  /** A module that Dormouse loads first. */
  readonly preload?: string
  readonly readyAfterMs?: number
}

/** A sandbox of its own with a Dormouse of its own: what goes wrong there goes wrong nowhere else. */
export class Stage {
  readonly name: string
  readonly cluster: StartedCluster
  readonly dormouse: Dormouse

  private constructor(name: string, cluster: StartedCluster, dormouse: Dormouse) {
    this.name = name
    this.cluster = cluster
    this.dormouse = dormouse
  }

  static async start(
    name: string,
    { settings = {}, preload, readyAfterMs }: StageOptions = {},
  ): Promise<Stage> {
    const cluster = await startSandboxCluster(readyAfterMs === undefined ? {} : { readyAfterMs })
    await createNamespace(cluster, NAMESPACE)
    const dormouse = await Dormouse.start(cluster, { newWorkloadGrace: '0s', ...settings }, preload)
    return new Stage(name, cluster, dormouse)
  }

  /** What Prometheus scrapes; the rules tell clusters apart. */
  get target(): { target: string; labels: Record<string, string> } {
    return { target: new URL(this.dormouse.metricsUrl).host, labels: { cluster: this.name } }
  }

  path(kind: Kind, name: string): string {
    return `/apis/apps/v1/namespaces/${NAMESPACE}/${kind}/${name}`
  }

  async create(kind: Kind, name: string, annotations?: Record<string, string>): Promise<void> {
    await this.cluster.create(NAMESPACE, [manifest(kind, name, annotations ? { annotations } : {})])
  }

  /** Creates one that its schedule puts to sleep, and resolves once it is. */
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

  /** A merge patch by the administrator; what comes of it is the caller's to judge. */
  async patch(path: string, body: object): Promise<number> {
    return (await this.cluster.admin.send('PATCH', path, body, MERGE)).status
  }

  async stop(): Promise<void> {
    await this.dormouse.kill()
    await this.dormouse.stop()
    await this.cluster.stop()
  }
}
