import type { CalendarSnapshot } from '../calendars/configured-calendars.ts'
import type { Config } from '../config/config.ts'
import { dateRanges } from '../../domain/schedule/calendar.ts'
import { PublishedSettings } from '../../kubernetes/published-settings.ts'
import type { Wiring } from './wiring.ts'

/** Characters of the JSON of one key: a ConfigMap holds 1 MiB in all, and each client reads it at each start. */
const MOST = 256 * 1024

/** Publishes the settings that clients with a kubeconfig need, again when a calendar has changed. */
export function publishedSettings(wiring: Wiring, leads: () => boolean): PublishedSettings {
  const { config, cluster, calendars, logger, excludeNamespaces, version } = wiring
  const published = new PublishedSettings({
    client: cluster.client,
    data: () => settingsForClients(config, calendars.snapshot(), excludeNamespaces, version),
    mayWrite: leads,
    isExpected: config.publish,
    logger,
  })
  calendars.onChange(() => published.publishAgain())
  return published
}

/**
 * The published settings by key, as the client reads them: a text, or JSON: lists of kinds
 * (`rollouts.argoproj.io=.spec.replicas`) and of excluded namespaces, the rules with durations in milliseconds, the
 * policies, the dates of each calendar as in the configuration, including those of its files, and the prices.
 * `unpublished` names the settings that are left out, with the reason. null: delete the key.
 */
export function settingsForClients(
  config: Config,
  calendars: CalendarSnapshot,
  excludeNamespaces: readonly string[],
  version: string | undefined,
): Record<string, string | null> {
  const { timezone, kinds, policies, console } = config
  const { operationTimeout, newWorkloadGrace, wakeHold, backoff } = config
  const { prices } = config.savings
  const large: Record<string, string> = {
    policies: JSON.stringify(policies),
    calendars: JSON.stringify(datesOf(config, calendars)),
    prices: prices ? JSON.stringify(prices) : '',
  }
  const unpublished = Object.entries(large).flatMap(([key, text]) => {
    const why = text.length <= EMPTY ? undefined : whyUnpublished(config, text)
    return why === undefined ? [] : [[key, why] as const]
  })
  return {
    version: version ?? null,
    timezone,
    rules: JSON.stringify({ operationTimeout, newWorkloadGrace, wakeHold, backoff }),
    kinds: JSON.stringify(kinds.map(({ resource, specReplicasPath }) => `${resource}=${specReplicasPath}`)),
    excludeNamespaces: JSON.stringify(excludeNamespaces),
    console: console.enabled ? console.url : null,
    teamLabel: config.metrics.teamLabel,
    ...large,
    ...(prices ? {} : { prices: null }),
    ...Object.fromEntries(unpublished.map(([key]) => [key, null])),
    unpublished: unpublished.length === 0 ? null : JSON.stringify(Object.fromEntries(unpublished)),
  }
}

/** At most so many characters: an empty list or map, or nothing. */
const EMPTY = 2

/** undefined: it is published. */
function whyUnpublished({ publish }: Config, text: string): string | undefined {
  if (!publish) return 'publish: false'
  return Buffer.byteLength(text) > MOST ? `more than ${MOST / 1024} KiB of them` : undefined
}

/** By calendar: its dates with their hours; a text: why it cannot be used. */
function datesOf({ calendars }: Config, snapshot: CalendarSnapshot): object {
  return Object.fromEntries(
    Object.entries(calendars).map(([name, { dates }]) => {
      const closed = snapshot[name] ?? []
      if (typeof closed === 'string') return [name, UNREADABLE]
      return [name, { ...Object.fromEntries(dateRanges(closed).map((range) => [range, ''])), ...dates }]
    }),
  )
}

const UNREADABLE = "a file of it cannot be read; the service's log says why"
