import type { Instant } from '../../process/clock.ts'
import { wantedFor, type DownscalerTimes } from './hours.ts'
import type { Program, Settings } from './program.ts'
import { ALWAYS, NEVER, parseTimes, Unreadable, type Dialect, type Times } from './spans.ts'
import { ALL_HOURS, leftAlone, refused, type Wanted } from './wanted.ts'

/** The places where a downscaler looks for settings; for a Namespace or a whole cluster, the inner ones are empty. */
export interface Place {
  readonly workload: Settings
  readonly namespace: Settings
  readonly program: Program
}

const KEYS = {
  uptime: 'uptime',
  downtime: 'downtime',
  upscalePeriod: 'upscale-period',
  downscalePeriod: 'downscale-period',
  forceUptime: 'force-uptime',
  forceDowntime: 'force-downtime',
} as const
const TIMES = ['uptime', 'downtime', 'upscale-period', 'downscale-period']
const FORCE = ['force-uptime', 'force-downtime']

/** Whether a program has hours for workloads without their own. */
export function saysTimes({ args, env }: Program): boolean {
  return TIMES.some((key) => key in args || key in env)
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
    if (left !== '0' && wanted.enabled && wanted.schedule !== ALL_HOURS)
      return refused(`asleep it keeps ${left} of its replicas: Dormouse puts to sleep with none`)
    return typeof excluded === 'number' ? { ...wanted, awakeUntil: excluded } : wanted
  } catch (error) {
    if (error instanceof Unreadable)
      return refused(`${error.message}, and the tool could not read it, either: it left the workload alone`)
    throw error
  }
}

/** The count that stays while asleep: a number, or a percentage. */
export function replicasLeft(dialect: Dialect, { workload, namespace, program }: Place): string {
  const key = REPLICAS[dialect]
  return (
    workload[key] ??
    namespace[key] ??
    program.args['downscale-replicas'] ??
    program.env['downscale-replicas'] ??
    '0'
  )
}

/** How each calls the count that stays while asleep. */
const REPLICAS: Readonly<Record<Dialect, string>> = {
  py: 'downtime-replicas',
  go: 'downscale-replicas',
}

/** py-kube-downscaler takes each key from the nearest place that has it, and joins uptime with downtime; but a period anywhere beats both. */
function timesOfPy({ workload, namespace, program }: Place): DownscalerTimes {
  const defaults = { ...program.env, ...program.args }
  const nearest = (key: string) => read('py', program, workload[key] ?? namespace[key] ?? defaults[key])
  // Forced times count on Namespaces alone.
  const forced = (key: string) => {
    const value = namespace[key]
    return value?.toLowerCase() === 'true'
      ? ALWAYS
      : read('py', program, value?.toLowerCase() === 'false' ? undefined : value)
  }
  const force = { forceUptime: forced('force-uptime'), forceDowntime: forced('force-downtime') }
  if (force.forceUptime?.always || force.forceDowntime?.always) return force
  const upscalePeriod = used(nearest('upscale-period'))
  const downscalePeriod = used(nearest('downscale-period'))
  if (upscalePeriod || downscalePeriod) return { ...force, upscalePeriod, downscalePeriod }
  return { ...force, uptime: nearest('uptime'), downtime: nearest('downtime') }
}

function used(times: Times | undefined): Times | undefined {
  return times === NEVER ? undefined : times
}

/** GoKubeDownscaler takes all times from the nearest place that has any, and forced ones likewise; undefined: it left it alone, since there are none. */
function timesOfGo({ workload, namespace, program }: Place): DownscalerTimes | string | undefined {
  const places = [workload, namespace, program.args, program.env]
  const nearest = (keys: readonly string[]) => places.find((place) => keys.some((key) => key in place)) ?? {}
  const [times, force] = [nearest(TIMES), nearest(FORCE)]
  const has = (key: string) => key in times
  if (has('uptime') && has('downtime'))
    return 'uptime and downtime stand in one place: the tool left it alone'
  if ((has('uptime') || has('downtime')) && (has('upscale-period') || has('downscale-period')))
    return 'a time and a period stand in one place: the tool left it alone'
  if (FORCE.every((key) => key in force)) return 'force-uptime and force-downtime stand in one place'
  const entries = Object.entries(KEYS).map(([name, key]) => [
    name,
    read('go', program, (FORCE.includes(key) ? force : times)[key]),
  ])
  const found: DownscalerTimes = Object.fromEntries(entries)
  return Object.values(found).every((each) => each === undefined) ? undefined : found
}

function read(dialect: Dialect, { zone, days }: Program, value: string | undefined): Times | undefined {
  return value === undefined
    ? undefined
    : parseTimes(value, dialect, { ...(zone && { zone }), ...(days && { days }) })
}

/** True: for ever; an instant: until then. Any value of `exclude` but false counts; an unreadable one does not. */
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

/** The innermost place with a value counts: true, false or spans. */
function excludedByGo({ workload, namespace, program }: Place, now: Instant): boolean | Instant | string {
  const value = workload['exclude'] ?? namespace['exclude'] ?? (program.needsInclusion ? 'true' : undefined)
  const times = read('go', program, value)
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
