import type { Instant } from '../../process/clock.ts'
import { weekOf, type AbsoluteSpan, type Dialect, type Times } from './spans.ts'
import { inHours, leftAlone, onlyAsleep, refused, type Wanted } from './wanted.ts'
import { Week } from './week.ts'
import { haveEqualClocks } from '../../domain/schedule/zone.ts'

export type TimeKey =
  'uptime' | 'downtime' | `${'upscale' | 'downscale'}-period` | `force-${'uptime' | 'downtime'}`

/** The times of a downscaler that count for a workload, by their keys in annotations. Undefined: not set. */
export type DownscalerTimes = Readonly<Partial<Record<TimeKey, Times>>>

const FOR_DATES =
  'a span of dates that has yet to begin: write a calendar (docs/calendars.md), or ask when it begins'

/** Our settings that keep a workload awake at exactly these times. */
export function wantedFor(times: DownscalerTimes, dialect: Dialect, now: Instant, ownZone = 'UTC'): Wanted {
  const given = Object.values(times)
  const [zone = ownZone, ...zones] = new Set(given.flatMap(({ weekly }) => weekly.map(({ zone }) => zone)))
  if (zones.some((each) => !haveEqualClocks(zone, each, now)))
    return refused(`its times are in several zones (${[zone, ...zones].join(', ')}): a schedule has one`)
  const coming = given
    .flatMap(({ absolute }) => absolute)
    .filter(({ from }) => from !== undefined && from > now)
  if (coming.length > 0) return refused(FOR_DATES)

  const week = (of: Times | undefined) =>
    of && runsForEver(of, now) ? Week.ALL : weekOf(of?.weekly ?? [], dialect)
  const awakeUntil = lastEnd([times['force-uptime'], times.uptime], now)
  const asleepUntil = lastEnd([times['force-downtime'], times.downtime], now)
  const force = { up: week(times['force-uptime']), down: week(times['force-downtime']) }
  if (times['upscale-period'] || times['downscale-period']) {
    if (!force.up.isEmpty || !force.down.isEmpty) return refused('it has periods and forced times together')
    return byPeriods(week(times['upscale-period']), week(times['downscale-period']), zone)
  }
  const normal = (times.uptime ? week(times.uptime) : Week.ALL).and(week(times.downtime).not())
  const wanted = inHours(force.up.or(normal.and(force.down.not())), zone)
  return dated(wanted, awakeUntil, asleepUntil)
}

function dated(wanted: Wanted, awakeUntil: Instant | undefined, asleepUntil: Instant | undefined): Wanted {
  if (!wanted.enabled) return wanted
  if (asleepUntil === undefined) return awakeUntil === undefined ? wanted : { ...wanted, awakeUntil }
  const end = new Date(asleepUntil).toISOString()
  const differs = [
    ...wanted.differs,
    `it does not wake by itself at ${end}: then remove dormouse.dev/auto-wake`,
  ]
  return { ...wanted, autoWake: false, differs }
}

/** A period changes workloads as long as it lasts; between two periods the tool leaves them as they are. */
function byPeriods(up: Week, down: Week, zone: string): Wanted {
  if (down.isEmpty) return leftAlone('its only period is one that wakes: the tool never put it to sleep')
  const inside = ['what a person changes within a period is not changed back']
  if (up.isEmpty) return onlyAsleep(down, zone, inside)
  const awake = Week.after((at) => {
    const [wakes, sleeps] = [up.has(at), down.has(at)]
    return wakes === sleeps ? undefined : wakes
  })
  if (awake?.isEmpty) return onlyAsleep(down.and(up.not()), zone, inside)
  return awake ? inHours(awake, zone, inside) : leftAlone('its periods cover each other')
}

function runsForEver(times: Times, now: Instant): boolean {
  return times.always || running(times, now).some(({ until }) => until === undefined)
}

function lastEnd(of: readonly (Times | undefined)[], now: Instant): Instant | undefined {
  const ends = of.flatMap((times) => (times ? running(times, now) : [])).flatMap(({ until }) => until ?? [])
  return ends.length === 0 ? undefined : Math.max(...ends)
}

function running({ absolute }: Times, now: Instant): AbsoluteSpan[] {
  return absolute.filter(({ from, until }) => (from ?? -Infinity) <= now && now < (until ?? Infinity))
}
