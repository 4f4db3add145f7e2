import type { Config } from '../../service/config/config.ts'
import { KubernetesClient } from '../../kubernetes/client.ts'
import { ConfiguredKinds } from '../../kubernetes/configured-kinds.ts'
import { Credentials } from '../../kubernetes/credentials.ts'
import { HttpTransport } from '../../kubernetes/http.ts'
import type { KubeConfigSource } from '../../kubernetes/kube-config.ts'
import type { KubernetesObserver } from '../../kubernetes/ports.ts'
import type { Logger } from '../../process/logger.ts'

export interface ConnectionOptions {
  readonly config: Pick<Config, 'kinds'>
  readonly kubeconfig: KubeConfigSource
  readonly observer: KubernetesObserver
  readonly logger: Logger
}

export type Connection = ReturnType<typeof connectionOf>

/**
 * The client of the API server, and what it stands on.
 * @throws Error when no usable kubeconfig is found
 */
export function connectionOf({ config, kubeconfig, observer, logger }: ConnectionOptions) {
  const credentials = new Credentials({ source: kubeconfig, logger })
  const transport = new HttpTransport(credentials)
  const client: KubernetesClient = new KubernetesClient({
    transport,
    observer,
    locate: (kind, signal, left) => configured.baseOf(kind, signal, left),
  })
  const configured = new ConfiguredKinds(config.kinds, (call) => client.call(call))
  return { credentials, transport, client, configured }
}
