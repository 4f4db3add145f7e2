import type { Enforced } from '../support/enforced.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { Shell } from './shell.ts'

const SHOP = 'shop'

/** Creates the namespace that the pages use, unless it exists. */
export async function openShop({ cluster }: Enforced): Promise<void> {
  const { status } = await cluster.admin.send('GET', `/api/v1/namespaces/${SHOP}`)
  if (status === 404) await createNamespace(cluster, SHOP)
}

/** A terminal for a page, like the sandbox's: with the deployment `web`, the API's address and a token. */
export async function realTerminal({ cluster, api, dormouse }: Enforced): Promise<Shell> {
  const workloads = `/apis/apps/v1/namespaces/${SHOP}/deployments`
  await cluster.admin.send('DELETE', `${workloads}/web`)
  await cluster.create(SHOP, [manifest('deployments', 'web', { replicas: 3 })])
  const shell = await Shell.start(cluster.adminKubeconfig)
  const token = await dormouse.tokens.token({ subject: 'you' })
  const exports = [
    `export API=${api.url}/api/v1 SHOP=${api.url}/api/v1/namespaces/${SHOP}/deployments TOKEN=${token}`,
    'dm() { curl -sS -H "Authorization: Bearer $TOKEN" "$@"; echo; }',
  ]
  await shell.run(exports.join('\n'))
  return shell
}
