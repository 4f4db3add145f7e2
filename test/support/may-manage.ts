import { expect } from 'chai'
import { dormouse as account } from '../control-plane/dormouse-account.ts'
import type { Cluster } from './cluster.ts'

/** Gives Dormouse's account the chart's rights for configured kinds of an API group, by a role of that name. */
export async function mayManage({ kubectl }: Cluster, group: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io'
  const metadata = { name: group }
  const rules = [
    { apiGroups: [group], resources: ['*'], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
  ]
  const subjects = [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }]
  const roleRef = { apiGroup, kind: 'ClusterRole', name: group }
  const result = await kubectl.withFile('create', [
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules },
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  ])
  expect(result.code, result.stderr).to.equal(0)
}

export async function mayNoLongerManage({ kubectl }: Cluster, group: string): Promise<void> {
  await kubectl('delete', 'clusterrole,clusterrolebinding', group)
}
