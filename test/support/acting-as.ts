import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { Cluster } from './cluster.ts'

interface KubeConfig {
  readonly users: readonly { readonly name: string; readonly user: object }[]
}

/** The cluster, where Dormouse speaks as this user with every right; writes the kubeconfig to `path`. */
export async function actingAs(cluster: Cluster, username: string, path: string): Promise<Cluster> {
  const admin = parse(await readFile(cluster.adminKubeconfig, 'utf8')) as KubeConfig
  const impersonation = { as: username, 'as-groups': ['system:masters'] }
  const users = admin.users.map(({ name, user }) => ({ name, user: { ...user, ...impersonation } }))
  // JSON is YAML.
  await writeFile(path, JSON.stringify({ ...admin, users }), { mode: 0o600 })
  return { ...cluster, dormouseKubeconfig: path }
}
