import type { CalendarSnapshot } from '../service/calendars/configured-calendars.ts'
import type { Config } from '../service/config/config.ts'
import { writtenSettings, type Published } from '../domain/records/published.ts'
import { publishedCalendar } from '../domain/schedule/published-calendar.ts'
import { PublishedSettings } from '../kubernetes/published-settings.ts'
import { ZONE_DATA } from '../process/zone-data.ts'
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
 * The published settings by key, in the form of `domain/records/published.ts`, by which clients read them: the dates of each
 * calendar as in the configuration, including those of its files. `unpublished` names what is left out, with the reason.
 */
export function settingsForClients(
  config: Config,
  calendars: CalendarSnapshot,
  excludeNamespaces: readonly string[],
  version: string | undefined,
): Record<string, string> {
  const { timezone, kinds, owners, policies, console } = config
  const { operationTimeout, newWorkloadGrace, wakeHold, backoff } = config
  const large = {
    policies,
    calendars: datesOf(config, calendars),
    prices: config.savings.prices ?? undefined,
  }
  const unpublished = Object.entries(large).flatMap(([key, value]) => {
    const text = JSON.stringify(value ?? [])
    const why = text.length <= EMPTY ? undefined : whyUnpublished(config, text)
    return why === undefined ? [] : [[key, why] as const]
  })
  return writtenSettings({
    version,
    zoneData: ZONE_DATA,
    timezone,
    rules: { operationTimeout, newWorkloadGrace, wakeHold, backoff },
    wakeOrderTimeout: config.wakeOrderTimeout,
    kinds: kinds.map(({ along: _along, notWhile: _notWhile, ...kind }) => kind),
    owners: owners.map(({ resource }) => resource),
    excludeNamespaces,
    console: console.enabled ? (console.url ?? undefined) : undefined,
    teamLabel: config.metrics.teamLabel ?? undefined,
    cluster: config.cluster ?? undefined,
    released: undefined,
    ...large,
    ...Object.fromEntries(unpublished.map(([key]) => [key, undefined])),
    unpublished: unpublished.length === 0 ? undefined : Object.fromEntries(unpublished),
  })
}

/** At most so many characters: an empty list or map. */
const EMPTY = 2

/** undefined: it is published. */
function whyUnpublished({ publish }: Config, text: string): string | undefined {
  if (!publish) return 'publish: false'
  return Buffer.byteLength(text) > MOST ? `more than ${MOST / 1024} KiB of them` : undefined
}

/** By calendar, as `PublishedCalendar`; a text: why it cannot be used. */
function datesOf({ calendars }: Config, snapshot: CalendarSnapshot): NonNullable<Published['calendars']> {
  return Object.fromEntries(
    Object.entries(calendars).map(([name, { dates, means }]) => {
      const read = snapshot[name]
      if (typeof read === 'string') return [name, UNREADABLE]
      return [name, publishedCalendar({ dates, means, days: read?.days ?? [], windows: read?.windows ?? [] })]
    }),
  )
}

const UNREADABLE = "a file of it cannot be read; the service's log says why"
