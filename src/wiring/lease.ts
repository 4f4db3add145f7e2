import { randomUUID } from 'node:crypto'
import { LeaseObjects } from '../kubernetes/lease.ts'
import type { LeaderElectionOptions } from '../service/leadership/leader-election.ts'
import { homeNamespace, podName, type HomeSettings } from './process/home.ts'

interface LeaseSettings extends HomeSettings {
  /** The namespace where a command found the service's Lease. */
  readonly found?: string | undefined
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
