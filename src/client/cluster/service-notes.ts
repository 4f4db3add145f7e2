import { releasedText } from '../../domain/deciding/released.ts'
import { ZONE_DATA } from '../../process/zone-data.ts'
import type { KnownService } from './known-service.ts'
import type { Unknowns } from './rules.ts'

/** The service, as far as it was read by now. */
export interface ServiceFacts {
  /** undefined: nothing was read yet. */
  readonly service: KnownService | undefined
  /** Why nothing can be computed by what it publishes; undefined: it can. */
  readonly newer: string | undefined
  /** The settings that were needed and are unknown. */
  readonly unknowns: Unknowns
  /** Whether a workload was read that Dormouse has written to. */
  readonly seesMarks: boolean
}

const NO_CONFIG_MAP = 'there is no filled ConfigMap dormouse in kube-public that you may read'
export const RELEASE_ENDS = 'who administers it ends that by dormouse release --undo'

/** Whether the service was looked for, and nothing of it is there. */
export function isAbsent({ service }: ServiceFacts): boolean {
  return service !== undefined && !service.isKnown
}

/** Says that no settings are known, and why. */
export function absenceText({ seesMarks }: ServiceFacts): string {
  const known = seesMarks
    ? "the service's settings are not known"
    : 'Dormouse may not be installed in this cluster'
  return `${known}: ${NO_CONFIG_MAP}`
}

/** Notes on settings that are not known here, by which records may be incomplete or wrong. */
export function unknownsIn(facts: ServiceFacts): string[] {
  const { service, newer, unknowns } = facts
  if (newer !== undefined)
    return [`${newer}. Meanwhile what it does is unknown here; --server asks it, and requests still reach it`]
  if (!service) return []
  if (isAbsent(facts)) return [`${absenceText(facts)}. What is shown here follows the defaults`]
  const { released, zoneData = ZONE_DATA } = service
  const calendars = [...unknowns.calendars].join(', ')
  return [
    ...(released ? [`${releasedText(released)}, and nobody carries out requests; ${RELEASE_ENDS}`] : []),
    ...(zoneData === ZONE_DATA
      ? []
      : [`the service computes by zone data ${zoneData}, this program by ${ZONE_DATA}: where clocks have been changed by law since, times here differ; --server asks it`]),
    ...(calendars === ''
      ? []
      : [`the dates of calendar ${calendars} are known to the service alone${why(service, 'calendars')}: times here leave them out; --server asks it`]),
    ...(unknowns.policies
      ? [`the service's policies are not published${why(service, 'policies')}: what comes from them is unknown here; --server asks it`]
      : []),
  ] // prettier-ignore
}

function why({ unpublished }: KnownService, key: keyof KnownService['unpublished']): string {
  return unpublished[key] === undefined ? '' : ` (${unpublished[key]})`
}

/** Notes that say why amounts have no money. */
export function unvaluedIn(facts: ServiceFacts): string[] {
  const { service, newer } = facts
  if (newer !== undefined) return [`${newer}. Prices and teams are not known here; --server asks it`]
  if (isAbsent(facts)) return [`${absenceText(facts)}. Prices are not known`]
  if (service?.unpublished['prices'] === undefined) return []
  return [
    `the service's prices are not known here${why(service, 'prices')}: money is left out; --server asks it`,
  ]
}
