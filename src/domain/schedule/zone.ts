import { LRUCache } from 'lru-cache'
import { IANAZone } from 'luxon'
import type { Instant } from '../../process/clock.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Longer than any name of the tz database. */
const MAX_LENGTH = 64

/** The areas of the tz database: its other names are `Area/Location`. */
const AREAS =
  'Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US'
/** The names of the tz database without an area. Abbreviations among them (EST, MST, …) are its own. */
const WITHOUT_AREA =
  'CET|CST6CDT|Cuba|EET|EST|EST5EDT|Egypt|Eire|Factory|GB|GB-Eire|GMT|GMT[+]0|GMT-0|GMT0|Greenwich|HST|Hongkong|' +
  'Iceland|Iran|Israel|Jamaica|Japan|Kwajalein|Libya|MET|MST|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|' +
  'Portugal|ROC|ROK|Singapore|Turkey|UCT|UTC|Universal|W-SU|WET|Zulu'

/** A pattern of JSON Schema that every name of the tz database has; whether a place exists, only the program knows. */
export const TIMEZONE_PATTERN = `^((${AREAS})(/[A-Za-z0-9_+-]+)+|${WITHOUT_AREA})$`

/**
 * ICU, and so Node, takes more names than the tz database has: BST is Dhaka for it, and AST Alaska. A name that says
 * another hour than its reader means is worse than a refusal.
 */
const NAME = new RegExp(TIMEZONE_PATTERN, 'i')
/** ICU's own, in an area of the tz database. */
const NEVER_THERE = new Set(['us/pacific-new', 'canada/east-saskatchewan'])

/** The places that people mean by an abbreviation which is no name of the tz database. */
const MEANT: Readonly<Record<string, string>> = {
  ACST: 'Australia/Adelaide',
  ADT: 'America/Halifax',
  AEDT: 'Australia/Sydney',
  AEST: 'Australia/Sydney',
  AET: 'Australia/Sydney',
  AKST: 'America/Anchorage',
  ART: 'America/Argentina/Buenos_Aires',
  AST: 'America/Halifax',
  AWST: 'Australia/Perth',
  BRT: 'America/Sao_Paulo',
  BST: 'Europe/London',
  CAT: 'Africa/Harare',
  CDT: 'America/Chicago',
  CEST: 'Europe/Berlin',
  CST: 'America/Chicago or Asia/Shanghai',
  CT: 'America/Chicago',
  EAT: 'Africa/Nairobi',
  ECT: 'America/Guayaquil',
  EDT: 'America/New_York',
  EEST: 'Europe/Athens',
  ET: 'America/New_York',
  HKT: 'Asia/Hong_Kong',
  IDT: 'Asia/Jerusalem',
  IST: 'Asia/Kolkata, Europe/Dublin or Asia/Jerusalem',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  MDT: 'America/Denver',
  MSK: 'Europe/Moscow',
  MT: 'America/Denver',
  NST: 'America/St_Johns',
  NZDT: 'Pacific/Auckland',
  NZST: 'Pacific/Auckland',
  PDT: 'America/Los_Angeles',
  PHT: 'Asia/Manila',
  PST: 'America/Los_Angeles or Asia/Manila',
  PT: 'America/Los_Angeles',
  SGT: 'Asia/Singapore',
  SST: 'Pacific/Pago_Pago or Asia/Singapore',
  WAT: 'Africa/Lagos',
  WEST: 'Europe/Lisbon',
  WIB: 'Asia/Jakarta',
}

/** Wall-clock time, as the milliseconds since the epoch at which clocks in UTC show it. */
export type LocalTime = number

const AN_IANA_NAME = 'an IANA time zone such as'
const AN_EXAMPLE = 'Europe/Berlin'
/** The expected form of a time zone, in words. */
export const A_TIMEZONE = `${AN_IANA_NAME} ${AN_EXAMPLE}`

/**
 * Whether this is a name of the tz database that this Node knows, in any case; an offset such as `+01:00` and an
 * abbreviation that is no such name are not.
 */
export function isTimezone(name: string): boolean {
  return officialName(name) !== undefined
}

/** Advice for a name that is no time zone: `write Europe/London`; undefined: nothing is known of it. */
export function timezoneAdvice(name: string): string | undefined {
  const places = placesMeant(name)
  return places === undefined ? undefined : `write ${places}`
}

/** The fault of a zone's name, in words; undefined: none. */
export function timezoneFault(name: string): string | undefined {
  if (isTimezone(name)) return undefined
  const places = placesMeant(name) ?? AN_EXAMPLE
  return `unknown time zone '${name.slice(0, MAX_LENGTH)}': write ${AN_IANA_NAME} ${places}`
}

function placesMeant(name: string): string | undefined {
  return MEANT[name.trim().toUpperCase()]
}

/** Whether the clocks of two zones show the same for the coming two years: `CET` and `Europe/Berlin`. */
export function haveEqualClocks(one: string, other: string, now: Instant): boolean {
  const [first, second] = [Zone.named(one), Zone.named(other)]
  if (!first || !second) return false
  const days = Array.from({ length: 2 * 366 }, (_, day) => now + day * DAY)
  return days.every((at) => first.offsetAt(at) === second.offsetAt(at))
}

/** By names as people write them, in any case. ICU takes a quarter of a millisecond for one, and each Event needs one. */
const known = new LRUCache<string, { readonly official: string | undefined }>({ max: 1000 })

function officialName(name: string): string | undefined {
  let found = known.get(name)
  if (!found && name.length <= MAX_LENGTH) known.set(name, (found = { official: lookedUp(name) }))
  return found?.official
}

function lookedUp(name: string): string | undefined {
  if (!NAME.test(name) || NEVER_THERE.has(name.toLowerCase())) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** The zone whose clocks `wallClock` shows: UTC where the name, which may be anything, is that of no zone. */
export function clocksOf(zone: string): string {
  return isTimezone(zone) ? zone : 'UTC'
}

/** An instant as a person of that zone reads it: `Mon 8:00`, more than six days off `Mon 2026-11-30 8:00`. */
export function wallClock(instant: Instant, zone: string, now: Instant): string {
  const local = new Date(instant + (Zone.named(zone)?.offsetAt(instant) ?? 0))
  const minutes = String(local.getUTCMinutes()).padStart(2, '0')
  const date = Math.abs(instant - now) < 6 * DAY ? '' : ` ${local.toISOString().slice(0, 10)}`
  return `${DAYS[local.getUTCDay()]}${date} ${local.getUTCHours()}:${minutes}`
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** The clocks of one time zone. */
export class Zone {
  readonly #zone: IANAZone

  private constructor(zone: IANAZone) {
    this.#zone = zone
  }

  /** Undefined where `isTimezone` is false. */
  static named(name: string): Zone | undefined {
    // luxon caches every name for good: give it official names only, of which there are few
    const official = officialName(name)
    return official === undefined ? undefined : new Zone(IANAZone.create(official))
  }

  /** By how many milliseconds the clocks are ahead of UTC. */
  offsetAt(instant: Instant): number {
    return this.#zone.offset(instant) * MINUTE
  }

  /** The day that begins at this local midnight. */
  day(midnight: LocalTime): LocalDay {
    return new LocalDay(this, midnight)
  }
}

/** A date of a zone's calendar, with the day after. Exact as long as no clocks change twice in four days. */
class LocalDay {
  readonly #zone: Zone
  readonly #midnight: LocalTime
  readonly #before: number
  readonly #after: number

  constructor(zone: Zone, midnight: LocalTime) {
    this.#zone = zone
    this.#midnight = midnight
    // no zone is a whole day away from UTC
    this.#before = zone.offsetAt(midnight - DAY)
    this.#after = zone.offsetAt(midnight + 3 * DAY)
  }

  /** False for a day that the zone skipped, as Apia did 30 December 2011. */
  exists(): boolean {
    if (this.#before === this.#after) return true
    // clocks change at night, so a noon is skipped only together with its whole day
    const noon = this.instantOf(DAY / 2 / MINUTE)
    return noon + this.#zone.offsetAt(noon) === this.#midnight + DAY / 2
  }

  /**
   * When the clocks show this minute of the day (from 1440: of the day after): the first time where they show
   * it twice; where they skip it, as much later as they skip.
   */
  instantOf(minute: number): Instant {
    const local = this.#midnight + minute * MINUTE
    const early = local - this.#before
    const late = local - this.#after
    if (this.#before === this.#after || this.#zone.offsetAt(early) === this.#before) return early
    return this.#zone.offsetAt(late) === this.#after ? late : early
  }
}
