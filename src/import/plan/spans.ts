import type { Instant } from '../../process/clock.ts'
import { MINUTES_OF_DAY, weekdayNamed, weekdays, type Weekday } from '../../domain/schedule/window.ts'
import { isTimezone } from '../../domain/schedule/zone.ts'
import { Week, type Minutes } from './week.ts'

/** The grammar: py-kube-downscaler's or GoKubeDownscaler's. */
export type Dialect = 'py' | 'go'

/** Defaults of the program for parts that a span leaves out. */
export interface SpanDefaults {
  readonly days?: string
  readonly zone?: string
}

/** Minutes of some days. `to` below `from`: their mornings and evenings, in GoKubeDownscaler's grammar alone. */
export interface WeeklySpan {
  readonly days: readonly Weekday[]
  readonly from: number
  readonly to: number
  readonly zone: string
}

export interface AbsoluteSpan {
  /** Undefined: it has always run. */
  readonly from: Instant | undefined
  /** Undefined: it never ends. */
  readonly until: Instant | undefined
}

/** A list of spans. */
export interface Times {
  readonly weekly: readonly WeeklySpan[]
  readonly absolute: readonly AbsoluteSpan[]
  readonly always: boolean
}

/** A value that the other tool cannot read, either. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export const NEVER: Times = { weekly: [], absolute: [], always: false }
export const ALWAYS: Times = { weekly: [], absolute: [], always: true }

const ISO = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?`
const PY_ABSOLUTE = new RegExp(String.raw`^(${ISO}[+-]\d\d:?\d\d)-(${ISO}[+-]\d\d:?\d\d)$`)
const GO_INSTANT = String.raw`${ISO}(?:Z|[+-]\d\d:\d\d)`
const GO_ABSOLUTE = new RegExp(String.raw`^(${GO_INSTANT})\s*-\s*(${GO_INSTANT})$`)
const GO_OPEN = new RegExp(String.raw`^(from|until)\s+(?:-\s*)?(${GO_INSTANT})$`, 'i')
const WEEKLY = /^(?:([a-z]{3})-([a-z]{3})\s+)?(\d\d):(\d\d)-(\d\d):(\d\d)(?:\s+(\S+))?$/i

/**
 * Reads `Mon-Fri 08:00-18:00 Europe/Berlin, …`, `always`, `never` and spans between two instants.
 * @throws Unreadable
 */
export function parseTimes(text: string, dialect: Dialect, defaults: SpanDefaults): Times {
  const whole = text.trim().toLowerCase()
  if (whole === 'always' || (dialect === 'go' && whole === 'true')) return ALWAYS
  if (whole === 'never' || (dialect === 'go' && whole === 'false')) return NEVER
  const weekly: WeeklySpan[] = []
  const absolute: AbsoluteSpan[] = []
  for (const part of text.split(',').map((each) => each.trim())) {
    const between = absoluteSpan(part, dialect)
    if (between) absolute.push(between)
    else weekly.push(weeklySpan(part, dialect, defaults))
  }
  return { weekly, absolute, always: false }
}

function absoluteSpan(text: string, dialect: Dialect): AbsoluteSpan | undefined {
  const [, from, until] = (dialect === 'py' ? PY_ABSOLUTE : GO_ABSOLUTE).exec(text) ?? []
  if (from !== undefined && until !== undefined)
    // py-kube-downscaler includes the second of the end.
    return { from: instant(from), until: instant(until) + (dialect === 'py' ? 1000 : 0) }
  const [, word, at] = (dialect === 'go' && GO_OPEN.exec(text)) || []
  if (word === undefined || at === undefined) return undefined
  return word.toLowerCase() === 'from'
    ? { from: instant(at), until: undefined }
    : { from: undefined, until: instant(at) }
}

function instant(text: string): Instant {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new Unreadable(`'${text}' is no date`)
  return at
}

function weeklySpan(text: string, dialect: Dialect, defaults: SpanDefaults): WeeklySpan {
  const [, first, last, ...rest] = WEEKLY.exec(text) ?? []
  const [fromHour, fromMinute, toHour, toMinute, named] = rest
  if (fromHour === undefined) throw new Unreadable(`'${text}' is no span such as Mon-Fri 08:00-18:00 UTC`)
  const zone = named ?? defaults.zone
  if (zone === undefined || !isTimezone(zone) || (dialect === 'py' && !/^[a-z/_]+$/i.test(zone)))
    throw new Unreadable(
      zone === undefined ? `'${text}' names no zone` : `'${zone}' is no zone that the tool reads`,
    )
  const days =
    first !== undefined && last !== undefined ? range(first, last) : defaultDays(text, defaults.days)
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  if (from > 1440 || to > 1440) throw new Unreadable(`'${text}' has an hour after 24:00`)
  return { days, from, to, zone }
}

function defaultDays(text: string, days: string | undefined): Weekday[] {
  const [, first, last] = /^([a-z]{3})-([a-z]{3})$/i.exec(days?.trim() ?? '') ?? []
  if (first === undefined || last === undefined) throw new Unreadable(`'${text}' names no days`)
  return range(first, last)
}

function range(first: string, last: string): Weekday[] {
  const [from, to] = [weekdayNamed(first), weekdayNamed(last)]
  if (from === undefined || to === undefined) throw new Unreadable(`'${first}-${last}' are no days`)
  return weekdays(from, to)
}

/** The minutes of the week in some spans. No hours run into the next day, which may not be one of the span's days. */
export function weekOf(spans: readonly WeeklySpan[], dialect: Dialect): Week {
  return Week.covering(
    spans.flatMap(({ days, from, to }) => {
      const [morning, evening] = [[0, to] as const, [from, MINUTES_OF_DAY] as const]
      const hours = from <= to || dialect === 'py' ? [[from, to] as const] : [morning, evening]
      const midnights = days.map((day) => (day - 1) * MINUTES_OF_DAY)
      return midnights.flatMap((at) => hours.map(([first, last]): Minutes => [at + first, at + last]))
    }),
  )
}
