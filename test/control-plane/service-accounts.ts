import { join } from 'node:path'
import type { Client } from './client.ts'
import { createDormouseAccount, dormouse } from './dormouse-account.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import type { Cluster } from './kubeconfig.ts'

const tokenSeconds = 24 * 60 * 60

export interface ServiceAccountKubeconfigs {
  serviceAccountKubeconfig(namespace: string, name: string): Promise<string>
  dormouseKubeconfig(): Promise<string>
}

/** Kubeconfigs, written into `directory`, of service accounts of this cluster. */
export function serviceAccountKubeconfigs(
  directory: string,
  cluster: Cluster,
  admin: Client,
): ServiceAccountKubeconfigs {
  const serviceAccountKubeconfig = async (namespace: string, name: string) => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
    const { status } = await admin.expect('POST', path, { spec: { expirationSeconds: tokenSeconds } })
    const file = join(directory, `${namespace}-${name}.kubeconfig`)
    return writeKubeconfig(file, cluster, { name, token: String(status?.['token']) }, namespace)
  }
  let created: Promise<void> | undefined
  return {
    serviceAccountKubeconfig,
    async dormouseKubeconfig() {
      created ??= createDormouseAccount(admin)
      await created
      return serviceAccountKubeconfig(dormouse.namespace, dormouse.name)
    },
  }
}
