import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { helm } from '../go-programs/go-program.ts'
import type { Client, KubernetesObject } from './client.ts'
import { writeKubeconfig, type Cluster } from './kubeconfig.ts'
import { account, grant } from '../support/rights.ts'

/** Dormouse's account in these tests, and its username at the API server. */
export const dormouse = {
  namespace: 'dormouse',
  name: 'dormouse',
  username: 'system:serviceaccount:dormouse:dormouse',
} as const

const CHART = fileURLToPath(new URL('../../charts/dormouse', import.meta.url))
/** Dormouse's account and its permissions. */
const TEMPLATES = [
  'serviceaccount.yaml',
  'rbac.yaml',
  'admissionpolicy.yaml',
  'admissionpolicy-creations.yaml',
  'admissionpolicy-companions.yaml',
  'admissionpolicy-slices.yaml',
  'published.yaml',
]

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const admission = '/apis/admissionregistration.k8s.io/v1'
const collections: Readonly<Record<string, string>> = {
  ServiceAccount: '/api/v1/NAMESPACE/serviceaccounts',
  ConfigMap: '/api/v1/NAMESPACE/configmaps',
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
  Role: `${rbac}/NAMESPACE/roles`,
  RoleBinding: `${rbac}/NAMESPACE/rolebindings`,
  ValidatingAdmissionPolicy: `${admission}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${admission}/validatingadmissionpolicybindings`,
}

/** The chart creates these in a cluster; outside, Dormouse does. */
const outsideRules = [
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    verbs: ['create'],
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
]

/**
 * Creates the namespace and the account as the chart does, with its roles and the policy that restricts it, and with
 * additional rights for running outside the cluster.
 */
async function createDormouseAccount(client: Client): Promise<void> {
  const { namespace, name } = dormouse
  await client.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  for (const object of await chartObjects()) {
    const collection = collections[object.kind]
    if (collection === undefined) throw new TypeError(`nobody said where a ${object.kind} is created`)
    const within = `namespaces/${String(object.metadata?.['namespace'])}`
    await client.expect('POST', collection.replace('NAMESPACE', within), object)
  }
  await grant(client, account(namespace, name), { name: `${name}-outside`, rights: outsideRules })
}

/**
 * Writes a kubeconfig of the account into `directory`, with a token of 24 hours; returns its path. The account is created
 * at the first call.
 */
export function dormouseKubeconfigs(
  directory: string,
  cluster: Cluster,
  client: Client,
): () => Promise<string> {
  const { namespace, name } = dormouse
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  let created: Promise<void> | undefined
  return async () => {
    await (created ??= createDormouseAccount(client))
    const { status } = await client.expect('POST', path, { spec: { expirationSeconds: 24 * 60 * 60 } })
    const token = String(status?.['token'])
    const file = join(directory, `${namespace}-${name}.kubeconfig`)
    return writeKubeconfig(file, cluster, name, { token }, namespace)
  }
}

async function chartObjects(): Promise<(KubernetesObject & { kind: string })[]> {
  const program = helm.find()
  if (program === undefined) throw new TypeError('a control plane is started where Helm is there')
  const { namespace, name } = dormouse
  const shown = TEMPLATES.flatMap((template) => ['--show-only', `templates/${template}`])
  const args = [
    'template',
    name,
    CHART,
    '--namespace',
    namespace,
    '--set',
    'config.waker.enabled=true',
    ...shown,
  ]
  const { stdout } = await promisify(execFile)(program, args)
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject & { kind: string })
}
