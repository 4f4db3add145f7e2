import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import type { Served } from './served.ts'
import { grant, isAllowed, user } from './rights.ts'

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
export async function onlyIn({ cluster, namespace }: Served, name: string): Promise<string> {
  const kubeconfig = await cluster.personKubeconfig?.(name)
  if (kubeconfig === undefined) return cluster.adminKubeconfig
  await grant(cluster.admin, user(name), { name, rights: RULES, namespace })
  const access = { namespace, verb: 'patch', group: 'apps', resource: 'deployments' }
  await eventually('the right', () => isAllowed(cluster.admin, name, access))
  return kubeconfig
}

/** Resolves once the leader has published this key. */
export async function isPublished(cluster: Cluster, key: string): Promise<void> {
  await eventually(`${key} to be published`, async () => {
    const { data } = (await cluster.admin.expect('GET', PUBLISHED)) as { data?: Record<string, string> }
    return data?.[key] !== undefined
  })
}
