import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '../service/config/config.ts'
import { LeaseObjects } from '../kubernetes/lease.ts'
import type { LeaderElectionOptions } from '../service/leadership/leader-election.ts'
import type { ClusterClients } from './cluster-clients.ts'

/** Exists in every cluster. */
const OUTSIDE = 'default'

interface LeaseSettings {
  readonly config: Config
  readonly cluster: Pick<ClusterClients, 'client' | 'credentials'>
  /** undefined: outside a cluster, where no chart brings the Lease. */
  readonly ownNamespace: string | undefined
  /** The namespace where a command found the service's Lease. */
  readonly found?: string | undefined
}

/** The namespace of the Lease and of the certificates' Secret: the configured one, Dormouse's own, or the kubeconfig's. */
export function homeNamespace({ config, cluster, ownNamespace }: LeaseSettings): string {
  const { namespace } = config.controller.lease
  return namespace ?? ownNamespace ?? cluster.credentials.namespace ?? OUTSIDE
}

/** In a cluster, the name of the pod. */
export function podName(): string {
  return hostname()
}

/** The part of leader election's options that the configuration decides; each call makes another identity. */
export function electionSettings({ config, cluster, ownNamespace, found }: LeaseSettings) {
  const { name, duration, renew, retry } = config.controller.lease
  const lease = new LeaseObjects({
    client: cluster.client,
    namespace: found ?? homeNamespace({ config, cluster, ownNamespace }),
    name,
    creatable: ownNamespace === undefined,
  })
  const identity = `${podName()}_${randomUUID()}`
  return {
    lease,
    identity,
    leaseDuration: duration,
    renewDeadline: renew,
    retryPeriod: retry,
  } satisfies Partial<LeaderElectionOptions>
}
