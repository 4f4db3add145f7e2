import type { Config } from '../config.ts'
import { PublishedSettings } from '../kubernetes/published-settings.ts'
import type { Foundation } from './foundation.ts'

/** What clients with a kubeconfig have to know; undefined: nothing is to be published. */
export function publishedSettings(
  foundation: Foundation,
  leads: () => boolean,
): PublishedSettings | undefined {
  const { config, cluster, logger, excludeNamespaces, version } = foundation
  if (!config.publish.enabled) return undefined
  return new PublishedSettings({
    client: cluster.client,
    data: settingsForClients(config, excludeNamespaces, version),
    mayWrite: leads,
    logger,
  })
}

/**
 * By key, as the client reads it: a text, or JSON: lists of kinds (`rollouts.argoproj.io=.spec.replicas`) and of
 * excluded namespaces, the rules with durations in milliseconds, and the policies where they are to be published. null:
 * there is none, so that what was published earlier goes.
 */
export function settingsForClients(
  config: Config,
  excludeNamespaces: readonly string[],
  version: string | undefined,
): Record<string, string | null> {
  const { timezone, kinds, policies, publishPolicies, console } = config
  const { operationTimeout, newWorkloadGrace, wakeHold, backoff } = config
  return {
    version: version ?? null,
    timezone,
    rules: JSON.stringify({ operationTimeout, newWorkloadGrace, wakeHold, backoff }),
    kinds: JSON.stringify(kinds.map(({ resource, specReplicasPath }) => `${resource}=${specReplicasPath}`)),
    excludeNamespaces: JSON.stringify(excludeNamespaces),
    policies: publishPolicies ? JSON.stringify(policies) : null,
    console: console.enabled ? console.url : null,
  }
}
