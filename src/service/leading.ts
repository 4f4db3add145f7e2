import { Controller } from '../controller/controller.ts'
import { LeaderElection } from '../leadership/leader-election.ts'
import type { Runnable } from '../runnable.ts'
import type { Foundation } from './foundation.ts'
import { electionSettings } from './lease.ts'
import type { Webhook } from './webhook.ts'

/** Milliseconds. */
const LONGEST_STOP = 2000

/** The controller: it runs only while this replica leads. */
export function controllerOf(foundation: Foundation, webhook: Webhook | undefined): Controller {
  const { config, cluster, rules, clock, logger, metrics, excludeNamespaces } = foundation
  const { concurrency, writesPerWorkload, lease } = config.controller
  return new Controller(
    {
      workloads: cluster.informer,
      writer: cluster.patcher,
      pace: cluster.gate,
      scalings: webhook?.scalings,
      recorder: cluster.recorder,
      observer: metrics.controller,
      clock,
      logger,
    },
    rules,
    {
      concurrency,
      writesPerWorkload,
      excludeNamespaces: new Set(excludeNamespaces),
      // Stopped before another replica can begin to lead.
      stopWithin: Math.min(LONGEST_STOP, (lease.duration - lease.renew) / 2),
    },
  )
}

/** Runs `leading` while this replica holds the Lease. */
export function electionOf(foundation: Foundation, leading: readonly Runnable[]): LeaderElection {
  const { clock, logger, metrics } = foundation
  return new LeaderElection({ ...electionSettings(foundation), clock, logger, leading, observer: metrics })
}
