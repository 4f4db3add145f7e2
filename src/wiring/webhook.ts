import type { RequestListener } from 'node:http'
import type { Kind } from '../domain/workload/workload.ts'
import type { WorkloadObject } from '../kubernetes/api-object.ts'
import { trim } from '../kubernetes/trim.ts'
import { systemMonotonic } from '../process/clock.ts'
import { AccessReviews } from '../kubernetes/reviews.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { EXEMPT_USERS } from '../service/webhook/decide.ts'
import { SeenScalings } from '../service/webhook/seen-scalings.ts'
import { createWebhook } from '../service/webhook/app.ts'
import type { Wiring } from './wiring.ts'

/** The admission webhook; every replica answers. */
export interface Webhook {
  readonly callback: RequestListener
  /** The users who scaled by hand, for the controller of this replica: the stored object does not name them. */
  readonly scalings: SeenScalings
}

export function webhookOf(wiring: Wiring): Webhook {
  const { config, cluster, rules, clock, logger, metrics, identity, excludeNamespaces, stateKeys } = wiring
  const scalings = new SeenScalings(clock)
  const reviews = new AccessReviews(cluster.client)
  const { rate } = config.api
  const callback = createWebhook({
    scalings,
    rights: reviews,
    rate,
    limit: new RateLimit(rate, systemMonotonic),
    workloads: cluster.informer,
    live: cluster.patcher,
    namespaceOf: (name) => cluster.namespaces.get(name),
    workloadsIn: (name) => cluster.informer.list(name),
    trim: (kind: Kind, object: unknown) =>
      trim(kind, object as WorkloadObject, undefined, cluster.configured.fields),
    configured: new Set(cluster.configured.fields.keys()),
    rules,
    lookForKey: stateKeys && ((workload) => stateKeys.keys.lookFor(workload)),
    clock,
    logger,
    isAuthenticated: config.webhook.clientCA !== null,
    observer: metrics.webhook,
    exemptUsers: new Set(exemptUsers(wiring)),
    excludeNamespaces: new Set(excludeNamespaces),
    ownUser: () => identity.user,
  })
  return { callback, scalings }
}

/** Users whose scaling does not count as manual: Kubernetes' own controllers, and those of the configuration. */
export function exemptUsers({ config }: Pick<Wiring, 'config'>): string[] {
  return [...EXEMPT_USERS, ...config.exemptUsers]
}
