import type { ApiClient } from '../support/api-client.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import type { TrafficMode } from '../../src/domain/traffic-mode.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { Kubelet, OWN_KUBELET, type PodOf } from '../support/kubelet.ts'
import type { Served } from '../support/served.ts'
import { App, APP_PORTS } from './app.ts'

type Workload = ReturnType<ApiClient['workload']>

export interface Sleeper {
  readonly name: string
  readonly workload: Workload
}

/** Milliseconds. An app serves on for longer than kubelet and kube-proxy take to follow. */
const TIMES = { start: 200, warm: 200, grace: 200, drain: 4500 }

/** Deployments whose pods answer, each behind a Service and an Ingress of its name. */
export class Sleepers {
  readonly #here: Served
  readonly kubelet: Kubelet
  /** Pods that were called before they were ready. */
  readonly early: PodOf[] = []
  /** Milliseconds for which pods run before they are ready, by the Deployment's name. */
  readonly #warm = new Map<string, number>()

  constructor(here: Served) {
    this.#here = here
    const image = async (pod: PodOf) => {
      const warm = this.#warm.get(pod.name.replace(/-[^-]+-[^-]+$/, '')) ?? TIMES.warm
      return App.start(pod, { ...TIMES, warm }, (who) => this.early.push(who))
    }
    this.kubelet = new Kubelet(here.cluster.admin, here.namespace, image)
    this.kubelet.start()
  }

  /** Awake, with a ready pod. `warm`: milliseconds for which its pods run before they are ready. */
  async create(name: string, mode: TrafficMode, warm: number = TIMES.warm): Promise<Sleeper> {
    const { namespace, cluster } = this.#here
    this.#warm.set(name, warm)
    await cluster.admin.expect('POST', `/api/v1/namespaces/${namespace}/services`, serviceOf(name))
    await cluster.admin.expect(
      'POST',
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`,
      ingressOf(name),
    )
    await this.#here.enabled('deployments', name, {
      podLabels: OWN_KUBELET,
      annotations: { [ANNOTATION.wakeOnTraffic]: mode },
    })
    const here = this.#here
    // A Dormouse that was restarted has another port.
    return {
      name,
      get workload() {
        return here.workload('deployments', name)
      },
    }
  }

  /** Leaves what is to be deleted with its namespace. */
  async stop(): Promise<void> {
    await this.kubelet.stop()
  }
}

/** Whether it is awake with a ready pod. */
export async function isAwake(workload: Workload): Promise<boolean> {
  const { is_snoozed: asleep, ready_replicas: ready } = await workload.status()
  return !asleep && ready === 1
}

/** Resolves once it is. */
export async function awake(workload: Workload): Promise<void> {
  await eventually('it to be awake', () => isAwake(workload))
}

interface SliceOfOurs {
  readonly ports: readonly { readonly name: string; readonly port: number }[]
  readonly endpoints: readonly { readonly addresses: readonly string[] }[]
}

/** The slices by which Dormouse leads a Service's traffic to its wakers. */
export async function slicesOf(
  { admin }: Cluster,
  namespace: string,
  service: string,
): Promise<SliceOfOurs[]> {
  const selector = `kubernetes.io/service-name=${service},endpointslice.kubernetes.io/managed-by=dormouse.dev`
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
  const { items = [] } = await admin.expect('GET', `${path}?labelSelector=${encodeURIComponent(selector)}`)
  return items as unknown as SliceOfOurs[]
}

export function hostOf(name: string): string {
  return `${name}.dev.example`
}

export function serviceOf(name: string) {
  const ports = Object.entries(APP_PORTS).map(([port, number], index) => ({
    name: port,
    port: 80 + index,
    targetPort: number,
  }))
  return { metadata: { name }, spec: { selector: { app: name }, ports } }
}

function ingressOf(name: string) {
  const backend = { service: { name, port: { name: 'http' } } }
  const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] }
  return { metadata: { name }, spec: { rules: [{ host: hostOf(name), http }] } }
}
