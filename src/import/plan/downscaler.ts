import type { Instant } from '../../process/clock.ts'
import { countOf } from '../../domain/policy/effective.ts'
import { wantedFor, type DownscalerTimes, type TimeKey } from './hours.ts'
import type { Program, Settings } from './program.ts'
import { ALWAYS, NEVER, parseTimes, Unreadable, type Dialect, type Times } from './spans.ts'
import { ALL_HOURS, leftAlone, refused, type Wanted } from './wanted.ts'

/** The places of settings, nearest first. For a Namespace or a whole cluster, the nearer ones are empty. */
export interface Place {
  readonly workload: Settings
  readonly namespace: Settings
  readonly program: Program
}

const PERIODS = ['upscale-period', 'downscale-period'] as const
const HOURS = ['uptime', 'downtime'] as const
const FORCE = ['force-uptime', 'force-downtime'] as const
const TIMES = [...HOURS, ...PERIODS]

/** The annotation for the count that stays while asleep: a number, or a percentage. */
const REPLICAS: Readonly<Record<Dialect, string>> = { py: 'downtime-replicas', go: 'downscale-replicas' }

/** Whether a program has hours for workloads without their own. */
export function saysTimes({ args, env }: Program): boolean {
  return TIMES.some((key) => key in args || key in env)
}

/** Whether it is excluded for good. */
export function isExcluded(dialect: Dialect, place: Place, now: Instant): boolean {
  return (dialect === 'py' ? excludedByPy(place, now) : excludedByGo(place, now)) === true
}

/** Settings of ours that do what this downscaler does in this place. */
export function wantedBy(dialect: Dialect, place: Place, now: Instant): Wanted {
  const { program } = place
  try {
    const excluded = dialect === 'py' ? excludedByPy(place, now) : excludedByGo(place, now)
    if (excluded === true) return leftAlone()
    if (typeof excluded === 'string') return refused(excluded)
    const found = dialect === 'py' ? timesOfPy(place) : timesOfGo(place)
    if (found === undefined) return leftAlone()
    const wanted = typeof found === 'string' ? refused(found) : wantedFor(found, dialect, now, program.zone)
    const left = replicasLeft(dialect, place)
    const asleepReplicas = countOf(left)
    if (asleepReplicas === 'unclear' && wanted.enabled && wanted.schedule !== ALL_HOURS)
      return refused(`asleep it keeps ${left} of its replicas: Dormouse puts to sleep with a count`)
    return {
      ...wanted,
      ...(wanted.enabled && typeof asleepReplicas === 'number' && asleepReplicas > 0 && { asleepReplicas }),
      ...(typeof excluded === 'number' && { awakeUntil: excluded }),
    }
  } catch (error) {
    if (error instanceof Unreadable)
      return refused(`${error.message}, and the tool could not read it, either: it left the workload alone`)
    throw error
  }
}

/** The count that stays while asleep: a number, or a percentage. */
export function replicasLeft(dialect: Dialect, { workload, namespace, program }: Place): string {
  const { args, env } = program
  const [inner, outer] = [REPLICAS[dialect], 'downscale-replicas']
  return workload[inner] ?? namespace[inner] ?? args[outer] ?? env[outer] ?? '0'
}

/**
 * py-kube-downscaler takes each setting from the nearest place that has it, and joins uptime with downtime; but a period
 * anywhere beats both, and forced times count on Namespaces alone.
 */
function timesOfPy({ workload, namespace, program }: Place): DownscalerTimes {
  const nearest = { ...program.env, ...program.args, ...namespace, ...workload }
  const read = (keys: readonly TimeKey[]) => timesIn('py', program, keys, nearest)
  const force = Object.fromEntries(
    FORCE.flatMap((key) => {
      const value = namespace[key]?.toLowerCase() ?? 'false'
      if (value === 'false') return []
      return [[key, value === 'true' ? ALWAYS : timesFrom('py', program, namespace[key])]]
    }),
  )
  if (FORCE.some((key) => force[key]?.always)) return force
  const periods = Object.entries(read(PERIODS)).filter(([, times]) => times !== NEVER)
  return { ...force, ...(periods.length > 0 ? Object.fromEntries(periods) : read(HOURS)) }
}

/**
 * GoKubeDownscaler takes all times from the nearest place that has any, and forced ones likewise.
 * @returns a string: why it left the workload alone; undefined: there are none, so it did
 */
function timesOfGo({ workload, namespace, program }: Place): DownscalerTimes | string | undefined {
  const places = [workload, namespace, program.args, program.env]
  const nearest = (keys: readonly TimeKey[]) => places.find((place) => keys.some((key) => key in place)) ?? {}
  const [times, force] = [nearest(TIMES), nearest(FORCE)]
  const isGiven = (key: TimeKey) => key in times
  if (HOURS.every(isGiven)) return 'uptime and downtime stand in one place: the tool left it alone'
  if (HOURS.some(isGiven) && PERIODS.some(isGiven))
    return 'a time and a period stand in one place: the tool left it alone'
  if (FORCE.every((key) => key in force)) return 'force-uptime and force-downtime stand in one place'
  const found = { ...timesIn('go', program, TIMES, times), ...timesIn('go', program, FORCE, force) }
  return Object.keys(found).length === 0 ? undefined : found
}

/** Reads those of some settings that are given. @throws Unreadable */
function timesIn(
  dialect: Dialect,
  program: Program,
  keys: readonly TimeKey[],
  from: Settings,
): DownscalerTimes {
  const given = keys.filter((key) => from[key] !== undefined)
  return Object.fromEntries(given.map((key) => [key, timesFrom(dialect, program, from[key])]))
}

function timesFrom(dialect: Dialect, { zone, days }: Program, value = ''): Times {
  return parseTimes(value, dialect, { ...(zone && { zone }), ...(days && { days }) })
}

/** Any `exclude` but false counts, an unreadable `exclude-until` does not. @returns an instant: excluded until then */
function excludedByPy({ workload, namespace }: Place, now: Instant): boolean | Instant {
  for (const place of [namespace, workload]) {
    const value = place['exclude']
    if (value !== undefined && value.toLowerCase() !== 'false') return true
  }
  const ends = [workload, namespace].map((place) => Date.parse(inUtc(place['exclude-until'] ?? '')))
  const coming = ends.filter((at) => at > now)
  return coming.length === 0 ? false : Math.max(...coming)
}

const PY_UNTIL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\dZ)?)?$/

function inUtc(text: string): string {
  const [, date, minute = '00:00'] = PY_UNTIL.exec(text) ?? []
  return date === undefined ? '' : `${date}T${minute}${/(:\d\d)Z$/.exec(text)?.[1] ?? ':00'}Z`
}

/** The nearest place with a value counts. @returns an instant: excluded until then; a string: why Dormouse cannot do it */
function excludedByGo({ workload, namespace, program }: Place, now: Instant): boolean | Instant | string {
  const value = workload['exclude'] ?? namespace['exclude'] ?? (program.needsInclusion ? 'true' : undefined)
  const times = value === undefined ? undefined : timesFrom('go', program, value)
  if (times?.always) return true
  if (times && times.weekly.length > 0)
    return `'${value}' leaves it alone at some hours of each week, which Dormouse cannot`
  const until = [workload, namespace]
    .map((place) => place['exclude-until'])
    .map((text) => (text !== undefined ? rfc3339(text) : undefined))
  const ends = [...until, ...(times?.absolute ?? []).map((span) => span.until)]
  const coming = ends.filter((at) => at !== undefined && at > now)
  return coming.length === 0 ? false : Math.max(...coming.map(Number))
}

function rfc3339(text: string): Instant {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(at))
    throw new Unreadable(`exclude-until '${text}' is no time such as 2026-12-24T00:00:00Z`)
  return at
}
