import type { Instant } from '../../process/clock.ts'
import type { TrafficMode } from '../../domain/traffic-mode.ts'
import { compileSchedule } from '../../domain/schedule/schedule.ts'
import {
  canSleep,
  countIn,
  isAtRest,
  isOwned,
  nameOf,
  type ImportedObject,
  type Step,
} from './imported-object.ts'
import type { InForce } from './in-force.ts'
import { pluralOf } from './kinds.ts'
import { adoptionOf, isAsleepAtOnce, OF_ANOTHER, refusalOf, stepOf } from './steps.ts'
import { annotationsOf, inHours, type Wanted } from './wanted.ts'
import { MINUTES_OF_WEEK, Week } from './week.ts'

/** A workload that another tool puts to sleep when nobody asks for it, and wakes for a visit. */
interface Visited {
  readonly object: ImportedObject
  readonly mode: TrafficMode
  /** The hours in which the tool keeps it awake, visited or not. */
  readonly hours: Week
  /** The count that a visit brings: the tools record none. */
  readonly count: number
  readonly asleepReplicas: number
  readonly differs: readonly string[]
}

const BY_IDLENESS =
  'the tool put it to sleep when nobody came for a while; Dormouse goes by hours, so give it some'

/** The steps for what carries Sablier's labels: `sablier.enable`, and others as labels or annotations. */
export function planOfSablier(objects: readonly ImportedObject[], now: Instant, force: InForce): Step[] {
  const enabled = objects.filter(
    (each) => canSleep(each) && each.metadata.labels?.['sablier.enable'] === 'true',
  )
  return enabled.flatMap((object) => {
    const said = (name: string) =>
      object.metadata.annotations?.[`sablier.${name}`] ?? object.metadata.labels?.[`sablier.${name}`]
    const running = said('running-hours')
    const hours = running === undefined ? Week.NONE : runningHours(running, said('running-days'))
    const differs = [
      "a page is shown while it wakes; if Sablier's strategy is blocking, set wake-on-traffic to any",
      ...(said('group') === undefined
        ? []
        : [`its group ${said('group')} does not wake together: what it calls wakes by that call`]),
      ...(running === undefined || hours ? [] : [`its running-hours ${running} cannot be read`]),
      ...(running === undefined ? [] : ["its running-hours were by Sablier's own clock, and are now by UTC"]),
    ]
    const [count, asleepReplicas] = [countOf(said('active.replicas'), 1), countOf(said('idle.replicas'), 0)]
    const visited = {
      object,
      mode: 'page',
      hours: hours ?? Week.NONE,
      count,
      asleepReplicas,
      differs,
    } as const
    return stepsOf(visited, now, force)
  })
}

/** The steps for what ElastiServices target, and for these themselves. */
export function planOfKubeElasti(objects: readonly ImportedObject[], now: Instant, force: InForce): Step[] {
  const services = objects.filter(({ kind }) => kind === 'ElastiService')
  return services.flatMap((service) => {
    const target = objects.find((each) => isTarget(service, each))
    if (!target) return [refusalOf(service, ['what it targets is not there'])]
    const { minTargetReplicas: count, enabledPeriod } = service.spec ?? {}
    const period = 'outside of its enabledPeriod the tool kept it awake: write that as a schedule'
    const visited = {
      object: target,
      mode: 'any',
      hours: Week.NONE,
      count: typeof count === 'number' ? count : 1,
      asleepReplicas: 0,
      differs: ['its triggers have no counterpart', ...(enabledPeriod === undefined ? [] : [period])],
    } as const
    return stepsOf(visited, now, force).concat(staying(service, target))
  })
}

/** A kind may be written as its plural: `deployments`. */
function isTarget({ metadata, spec }: ImportedObject, object: ImportedObject): boolean {
  const { kind = '', name } = spec?.scaleTargetRef ?? {}
  const isKind = object.kind === kind || pluralOf(object.kind) === kind
  return isKind && object.metadata.name === name && object.metadata.namespace === metadata.namespace
}

/** Its finalizer waits for a controller that is stopped. */
function staying(service: ImportedObject, target: ImportedObject): Step {
  const says = [
    `it stays, for ${nameOf(target)} is Dormouse's now: delete it by hand, with its finalizer, and the EndpointSlice ` +
      "that leads its Service to the tool's resolver",
  ]
  return { object: service, verdict: 'approximated', says }
}

function stepsOf(visited: Visited, now: Instant, force: InForce): Step[] {
  const { object, count, asleepReplicas } = visited
  const isAsleep = isAtRest(object) || (countIn(object) ?? count) <= Math.min(asleepReplicas, count - 1)
  if (isOwned(object)) return isAsleep ? [refusalOf(object, [OF_ANOTHER])] : []
  const [inherited, byPolicies] = [force.inherited(object), force.byPolicies(object)]
  const planned = { object, wanted: wantedOf(visited), inherited, byPolicies, now }
  if (isAsleep) return [adoptionOf(planned, count)]
  // It is in use, or was a moment ago.
  const until = isAsleepAtOnce(planned) ? nextEdge(planned.wanted, now) : undefined
  const wanted = until === undefined ? planned.wanted : { ...planned.wanted, awakeUntil: until }
  return stepOf(object, wanted, annotationsOf(wanted, inherited))
}

function wantedOf({ mode, hours, asleepReplicas, differs }: Visited): Wanted {
  const wanted = inHours(hours, 'UTC', [BY_IDLENESS, ...differs])
  return { ...wanted, wakeOnTraffic: mode, ...(asleepReplicas > 0 && { asleepReplicas }) }
}

function nextEdge({ schedule, timezone }: Wanted, now: Instant): Instant | undefined {
  return compileSchedule(schedule, timezone).nextEdge(now)?.at
}

function countOf(text: string | undefined, byDefault: number): number {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : byDefault
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const DAY = MINUTES_OF_WEEK / DAYS.length

/** `22:00-06:00`, and `Mon,Tuesday`, by default each day; undefined: it cannot be read. */
function runningHours(hours: string, days = DAYS.join()): Week | undefined {
  const [from, to] = hours.split('-').map((each) => {
    const [, hour, minute] = /^\s*(\d\d?):(\d\d)\s*$/.exec(each) ?? []
    return Number(hour) * 60 + Number(minute)
  })
  const begins = days.split(',').map((each) => DAYS.indexOf(each.trim().toLowerCase().slice(0, 3)))
  if (from === undefined || to === undefined || !(from < DAY && to <= DAY) || begins.includes(-1))
    return undefined
  const length = to > from ? to - from : to - from + DAY
  return Week.covering(
    begins.flatMap((day) => {
      const start = day * DAY + from
      const end = start + length
      return [
        [start, Math.min(end, MINUTES_OF_WEEK)],
        [0, Math.max(0, end - MINUTES_OF_WEEK)],
      ] as const
    }),
  )
}
