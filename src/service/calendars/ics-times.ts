import ICAL from 'ical.js'
import { isTimezone, Zone, type LocalTime } from '../../domain/schedule/zone.ts'
import type { IcsComponent, IcsProperty } from './ics-lines.ts'
import { placeOfWindowsZone } from './windows-zones.ts'

const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE

/** The clocks by which a time is written. */
export interface Clocks {
  instantOf(local: LocalTime): number
  localOf(instant: number): LocalTime
}

/** A time of an event. */
export interface IcsTime {
  /** As the clocks show it; for a date, its midnight. */
  readonly local: LocalTime
  readonly isDate: boolean
  /** `floating`: the clocks of whoever reads it; `unknown`: its zone is not. */
  readonly clocks: Clocks | 'floating' | 'unknown'
  /** The zone's name as it was written. */
  readonly zone: string | undefined
}

const VALUE =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2}))?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * A date or a time as programs write it: in the form of RFC 5545, or of ISO 8601; a date also without `VALUE=DATE`, or
 * with a time behind it that then does not count. undefined: it is none.
 */
export function timeOf(text: string, property: IcsProperty, zones: Zones): IcsTime | undefined {
  const [, year, month, day, hour, minute, second = '0', offset] = VALUE.exec(text.trim()) ?? []
  if (year === undefined) return undefined
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  if (new Date(midnight).getUTCDate() !== Number(day) || Number(month) > 12) return undefined
  const zone = property.parameter('TZID')
  const isDate = hour === undefined || property.parameter('VALUE')?.toUpperCase() === 'DATE'
  if (isDate) return { local: midnight, isDate, clocks: 'floating', zone: undefined }
  const minutes = Number(hour) * 60 + Number(minute)
  if (minutes > 24 * 60 || Number(minute) > 59 || Number(second) > 60) return undefined
  const local = midnight + minutes * MINUTE + Math.min(Number(second), 59) * 1000
  if (offset !== undefined) return { local: local - offsetOf(offset), isDate, clocks: UTC, zone: undefined }
  if (zone === undefined) return { local, isDate, clocks: 'floating', zone }
  return { local, isDate, clocks: zones.find(zone) ?? 'unknown', zone }
}

function offsetOf(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE
}

const UTC: Clocks = { instantOf: (local) => local, localOf: (instant) => instant }

export function isUtc({ clocks }: IcsTime): boolean {
  return clocks === UTC
}

/** The time as these clocks show it. Where one of the two is not known, as it is written. */
export function localIn(time: IcsTime, clocks: IcsTime['clocks']): LocalTime {
  if (typeof time.clocks !== 'object' || typeof clocks !== 'object' || time.clocks === clocks)
    return time.local
  return clocks.localOf(time.clocks.instantOf(time.local))
}

/** The zones that times of a calendar name. */
export class Zones {
  readonly #known = new Map<string, Clocks | undefined>()
  readonly #defined: ReadonlyMap<string, IcsComponent>
  /** Those of whoever wrote it, as far as the file tells: its X-WR-TIMEZONE, or its only zone. */
  readonly home: Clocks | undefined

  constructor(calendar: IcsComponent) {
    const defined = calendar.components.filter(({ name }) => name === 'VTIMEZONE')
    this.#defined = new Map(defined.map((each) => [nameOf(each), each]))
    const own = calendar.properties.find(({ name }) => name === 'X-WR-TIMEZONE')?.value
    const [only, ...others] = this.#defined.keys()
    const home = own ?? (others.length === 0 ? only : undefined)
    this.home = home === undefined ? undefined : this.find(home)
  }

  /** undefined: neither the tz database, nor Windows, nor the file has it. */
  find(name: string): Clocks | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#make(name))
    return this.#known.get(name)
  }

  #make(name: string): Clocks | undefined {
    // Some write /example.org/Europe/Berlin, or the like.
    const parts = name.split('/')
    const places = [parts, parts.slice(-3), parts.slice(-2)].map((some) => some.join('/'))
    const place = places.find(isTimezone) ?? placeOfWindowsZone(name)
    const zone = place === undefined ? undefined : Zone.named(place)
    if (zone) return ofPlace(zone)
    const definition = this.#defined.get(name)
    return definition && ofDefinition(definition)
  }
}

function nameOf({ properties }: IcsComponent): string {
  return (properties.find(({ name }) => name === 'TZID')?.value ?? '').replaceAll(/^"|"$|\\(?=[,;\\])/g, '')
}

function ofPlace(zone: Zone): Clocks {
  return {
    instantOf(local) {
      const midnight = Math.floor(local / DAY) * DAY
      const minute = Math.floor((local - midnight) / MINUTE)
      return zone.day(midnight).instantOf(minute) + ((local - midnight) % MINUTE)
    },
    localOf: (instant) => instant + zone.offsetAt(instant),
  }
}

/** By the rules of a VTIMEZONE; undefined: it cannot be read. */
function ofDefinition({ lines }: IcsComponent): Clocks | undefined {
  try {
    const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(lines.join('\r\n')) as unknown[]))
    const offsetAt = (local: number) => zone.utcOffset(icalTime(local, false)) * 1000
    // A definition that says nothing throws here.
    offsetAt(0)
    return {
      instantOf: (local) => local - offsetAt(local),
      localOf(instant) {
        const local = instant + offsetAt(instant)
        return instant + offsetAt(local)
      },
    }
  } catch {
    return undefined
  }
}

/** As ical.js has a time of no zone. */
export function icalTime(local: LocalTime, isDate: boolean): ICAL.Time {
  const date = new Date(local)
  const time = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    isDate,
  }
  return new ICAL.Time(time, ICAL.Timezone.localTimezone)
}

export function localOf(time: ICAL.Time): LocalTime {
  const { year, month, day, hour, minute, second } = time
  return time.isDate ? Date.UTC(year, month - 1, day) : Date.UTC(year, month - 1, day, hour, minute, second)
}
