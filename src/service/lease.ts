import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import type { LeaderElectionOptions } from '../leadership/leader-election.ts'
import { LeaseObjects } from '../kubernetes/lease.ts'
import type { Connection } from './connection.ts'

/** Exists in every cluster. */
const OUTSIDE = 'default'

interface LeaseSettings {
  readonly config: Config
  readonly connection: Connection
  /** undefined: outside a cluster, where no chart brings the Lease. */
  readonly ownNamespace: string | undefined
}

/** The namespace of the Lease and of the Secret: the configured one, or Dormouse's own, or the kubeconfig's. */
export function placeOf({ config, connection, ownNamespace }: LeaseSettings): string {
  const { namespace } = config.controller.lease
  return namespace ?? ownNamespace ?? connection.credentials.namespace ?? OUTSIDE
}

/** The part of leader election's options that the configuration decides; the identity is a new one each time. */
export function leaseOf({ config, connection, ownNamespace }: LeaseSettings) {
  const { name, duration, renew, retry } = config.controller.lease
  const lease = new LeaseObjects({
    client: connection.client,
    namespace: placeOf({ config, connection, ownNamespace }),
    name,
    creatable: ownNamespace === undefined,
  })
  const identity = `${hostname()}_${randomUUID()}`
  return { lease, identity, leaseDuration: duration, renewDeadline: renew, retryPeriod: retry } satisfies Partial<LeaderElectionOptions>
}
