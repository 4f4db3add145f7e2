import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import type { Served } from './served.ts'

const GROUP = 'rbac.authorization.k8s.io'
const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'
const RULES = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['update'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get', 'list', 'watch', 'patch'] },
]

/**
 * The kubeconfig of a person who may see and patch the workloads of the suite's namespace, and nothing else. The sandbox
 * knows no rights: there it is the administrator's.
 */
export async function onlyIn({ cluster, namespace }: Served, user: string): Promise<string> {
  const kubeconfig = await cluster.personKubeconfig?.(user)
  if (kubeconfig === undefined) return cluster.adminKubeconfig
  const metadata = { name: user }
  const within = `/apis/${GROUP}/v1/namespaces/${namespace}`
  await cluster.admin.expect('POST', `${within}/roles`, { metadata, rules: RULES })
  await cluster.admin.expect('POST', `${within}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: GROUP, kind: 'Role', name: user },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
  })
  const review = {
    spec: { user, resourceAttributes: { namespace, verb: 'patch', group: 'apps', resource: 'deployments' } },
  }
  await eventually('the right', async () => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const { status } = (await cluster.admin.expect('POST', path, review)) as {
      status?: { allowed?: boolean }
    }
    return status?.allowed === true
  })
  return kubeconfig
}

/** Resolves once the leader has published this key. */
export async function isPublished(cluster: Cluster, key: string): Promise<void> {
  await eventually(`${key} to be published`, async () => {
    const { data } = (await cluster.admin.expect('GET', PUBLISHED)) as { data?: Record<string, string> }
    return data?.[key] !== undefined
  })
}
