import type { Client } from './client.ts'

/** Dormouse's account in these tests, and its username in the API server's eyes. */
export const dormouse = {
  namespace: 'dormouse',
  name: 'dormouse',
  username: 'system:serviceaccount:dormouse:dormouse',
} as const

const workloads = ['deployments', 'statefulsets', 'daemonsets', 'replicasets']

/** What Dormouse needs in every namespace; nothing here may grow without a line in the chart. */
const clusterRules = [
  { apiGroups: ['apps'], resources: workloads, verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  // RBAC cannot name what is only about to be created.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    verbs: ['create'],
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: ['dormouse'],
    verbs: ['get', 'list', 'watch', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['namespaces'], resourceNames: ['dormouse'], verbs: ['get'] },
]

const ownNamespaceRules = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['dormouse-webhook'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
]

/** Creates the namespace, the service account and the least roles that let Dormouse do its work. */
export async function createDormouseAccount(client: Client): Promise<void> {
  const { namespace, name } = dormouse
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const apiGroup = 'rbac.authorization.k8s.io'
  const metadata = { name }
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  const inNamespace = `namespaces/${namespace}`
  await client.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  await client.expect('POST', `/api/v1/${inNamespace}/serviceaccounts`, { metadata })
  await client.expect('POST', `${rbac}/clusterroles`, { metadata, rules: clusterRules })
  await client.expect('POST', `${rbac}/clusterrolebindings`, {
    metadata,
    subjects,
    roleRef: { apiGroup, kind: 'ClusterRole', name },
  })
  await client.expect('POST', `${rbac}/${inNamespace}/roles`, { metadata, rules: ownNamespaceRules })
  await client.expect('POST', `${rbac}/${inNamespace}/rolebindings`, {
    metadata,
    subjects,
    roleRef: { apiGroup, kind: 'Role', name },
  })
}
