import { readFile } from 'node:fs/promises'
import { startControlPlane, type ControlPlane } from '../../test/control-plane/control-plane.ts'
import { manifest } from '../../test/support/manifests.ts'
import type { Context } from '../scenario.ts'
import { cpuOf } from './process.ts'
import { sendOnce, type Sent, type Target } from './raw.ts'

/** A real API server for a scenario, which nobody audits. */
export interface BenchCluster {
  readonly plane: ControlPlane
  /** A client with all rights. */
  readonly admin: Target
  /** The kubeconfig of Dormouse's account. */
  readonly kubeconfig: string
  /** Milliseconds of the API server's processor time. */
  readonly cpu: () => Promise<number>
}

/** Runs `work` over a new cluster; without `nodes`, etcd and the API server are all of it. */
export async function withCluster<T>(
  { programs, say }: Context,
  work: (cluster: BenchCluster) => Promise<T>,
  { nodes = 0 }: { nodes?: number } = {},
): Promise<T> {
  say(nodes === 0 ? 'etcd and kube-apiserver start' : 'a control plane starts, with kwok for its nodes')
  const plane = await startControlPlane({ programs, nodes, audited: false })
  try {
    return await work({
      plane,
      admin: await targetOf(plane.adminKubeconfig),
      kubeconfig: await plane.dormouseKubeconfig(),
      cpu: () => cpuOf(plane.pidOf('kube-apiserver')),
    })
  } finally {
    await plane.stop()
  }
}

/** The cluster and account of a kubeconfig that the control plane has written. */
export async function targetOf(kubeconfig: string): Promise<Target> {
  const { clusters, users } = JSON.parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
    users: [{ user: { token: string } }]
  }
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  return { url: server, ca: Buffer.from(authority, 'base64').toString(), token: users[0].user.token }
}

interface Filling {
  readonly namespace: string
  readonly count: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly replicas?: number
}

/** Creates a namespace with `count` Deployments: `app-00000` and so on. */
export async function fill(
  { admin, plane }: BenchCluster,
  { namespace, count, annotations, replicas = 3 }: Filling,
): Promise<void> {
  await plane.admin.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  const requests = namesOf(count).map((name): Sent => {
    const object = manifest('deployments', name, { replicas, ...(annotations ? { annotations } : {}) })
    const headers = { 'content-type': 'application/json' }
    return { method: 'POST', path: deployments(namespace), headers, body: JSON.stringify(object) }
  })
  await sendOnce(admin, { requests, inFlight: 32 })
}

export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `app-${String(index).padStart(5, '0')}`)
}

/** The path of a namespace's Deployments. */
export function deployments(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`
}
