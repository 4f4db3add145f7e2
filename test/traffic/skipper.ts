import { freePorts } from '../control-plane/ports.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { ask, Front } from './front.ts'

/** Skipper, with the settings of its documentation for EndpointSlices. */
export async function startSkipper(path: string, on: Cluster): Promise<Front> {
  const [port, api] = await freePorts(2)
  const front = new Front(port)
  // It reads no kubeconfig, and takes no CA outside a cluster.
  front.run('kubectl', ['proxy', `--kubeconfig=${on.adminKubeconfig}`, `--port=${api}`])
  await eventually('kubectl proxy', async () => (await ask(`http://127.0.0.1:${api}/readyz`)) === 200)
  front.run(path, [
    `-address=127.0.0.1:${port}`,
    '-support-listener=',
    '-kubernetes',
    `-kubernetes-url=http://127.0.0.1:${api}`,
    '-enable-kubernetes-endpointslices',
    '-kubernetes-https-redirect=false',
    // Without, no websocket goes through.
    '-experimental-upgrade',
    '-access-log-disabled',
  ])
  return front
}
