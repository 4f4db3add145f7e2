import { hostname } from 'node:os'
import type { Config } from '../../service/config/config.ts'
import type { Connection } from './connection.ts'

/** Exists in every cluster. */
const OUTSIDE = 'default'

export interface HomeSettings {
  readonly config: Config
  readonly cluster: Pick<Connection, 'client' | 'credentials'>
  /** undefined: outside a cluster, where no chart brings the Lease. */
  readonly ownNamespace: string | undefined
}

/** The namespace of the Lease and of the Secrets: the configured one, Dormouse's own, or the kubeconfig's. */
export function homeNamespace({ config, cluster, ownNamespace }: HomeSettings): string {
  const { namespace } = config.controller.lease
  return namespace ?? ownNamespace ?? cluster.credentials.namespace ?? OUTSIDE
}

/** In a cluster, the name of the pod. */
export function podName(): string {
  return hostname()
}
