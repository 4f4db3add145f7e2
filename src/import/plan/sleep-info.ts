import { WEEK, weekdayNamed, type Weekday } from '../../domain/schedule/window.ts'
import { inHours, onlyAsleep, refused, type Wanted } from './wanted.ts'
import { Week } from './week.ts'
import type { ImportedObject, ImportedSpec } from './imported-object.ts'

/** The times of a SleepInfo of kube-green (`kube-green.com/v1alpha1`). */
export interface SleepTimes {
  readonly weekdays: string
  /** `20:00`, each part a field of cron. */
  readonly sleepAt: string
  readonly wakeUpAt?: string
  /** UTC without one. */
  readonly timeZone?: string
}

/**
 * Settings that do what the SleepInfos of a workload do: change at their times, on their days, and leave alone between
 * them. With several, the first puts it to sleep.
 */
export function wantedBySleepInfos(infos: readonly SleepTimes[]): Wanted {
  const changes = infos.map(changesOf)
  const unreadable = changes.find((each) => typeof each === 'string')
  if (unreadable !== undefined) return refused(unreadable)
  const [zone = 'UTC', ...others] = new Set(infos.map(({ timeZone }) => timeZone || 'UTC'))
  if (others.length > 0)
    return refused(`its SleepInfos are in several zones: ${[zone, ...others].join(', ')}`)
  const known = changes.filter((each) => typeof each !== 'string')
  const anyOf = (of: 'sleeps' | 'wakes') =>
    Week.where((day, minute) => known.some((each) => each[of](day, minute)))
  if (anyOf('wakes').isEmpty) return onlyAsleep(anyOf('sleeps'), zone)
  // Only that which put it to sleep wakes it again, since no other has it in its Secret.
  let asleepBy: Changes | undefined
  const hours = Week.after((day, minute) => {
    const before = asleepBy
    for (const each of known) {
      const [sleeps, wakes] = [each.sleeps(day, minute), each.wakes(day, minute)]
      // kube-green's behaviour for two events at once is undefined.
      if (sleeps === wakes) continue
      if (sleeps) asleepBy ??= each
      else if (asleepBy === each) asleepBy = undefined
    }
    return before === asleepBy ? undefined : asleepBy === undefined
  })
  if (!hours) return refused('it sleeps and wakes at the same times')
  return hours.isEmpty ? onlyAsleep(anyOf('sleeps'), zone) : inHours(hours, zone)
}

type At = (day: number, minute: number) => boolean
interface Changes {
  readonly sleeps: At
  readonly wakes: At
}

function changesOf({ weekdays, sleepAt, wakeUpAt }: SleepTimes): Changes | string {
  const days = daysOf(weekdays)
  const sleeps = timesOf(sleepAt)
  const wakes = wakeUpAt ? timesOf(wakeUpAt) : new Set<number>()
  if (!days) return `weekdays '${weekdays}' cannot be read`
  if (!sleeps) return `sleepAt '${sleepAt}' cannot be read`
  if (!wakes) return `wakeUpAt '${wakeUpAt}' cannot be read`
  const on = (times: ReadonlySet<number>) => (day: number, minute: number) =>
    days.has(WEEK[day] ?? 1) && times.has(minute)
  return { sleeps: on(sleeps), wakes: on(wakes) }
}

/** Of cron's field: 0 and 7 are Sunday. */
function daysOf(text: string): Set<Weekday> | undefined {
  const numbers = text.replaceAll(/[a-z]{3}/gi, (name) => {
    const day = weekdayNamed(name)
    return day === undefined ? name : `${day % 7}`
  })
  const found = field(numbers, 0, 7)
  return found && new Set([...found].map((day) => WEEK[(day + 6) % 7] ?? 1))
}

/** Minutes of the day of `20:00` or `8,20:0`, whose parts are fields of cron. */
function timesOf(text: string): Set<number> | undefined {
  const [hours, minutes, ...more] = text.trim().split(':')
  const [ofHours, ofMinutes] = [field(hours ?? '', 0, 23), field(minutes ?? '', 0, 59)]
  if (!ofHours || !ofMinutes || more.length > 0) return undefined
  return new Set([...ofHours].flatMap((hour) => [...ofMinutes].map((minute) => hour * 60 + minute)))
}

/** The numbers of a field of cron, such as `1-5`, `1,3` or `1-59/2`. */
function field(text: string, least: number, most: number): Set<number> | undefined {
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const [, range, from, to, step] =
      /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part.trim()) ?? []
    if (range === undefined) return undefined
    const first = from === undefined ? least : Number(from)
    // `5/10` runs on to the end of the range.
    const last = to === undefined ? (from === undefined || step !== undefined ? most : first) : Number(to)
    const by = Number(step ?? 1)
    if (first < least || last > most || last < first || by < 1) return undefined
    for (let number = first; number <= last; number += by) found.add(number)
  }
  return found
}

/** A SleepInfo of kube-green, `kube-green.com/v1alpha1`. */
export interface SleepInfo extends ImportedObject {
  readonly spec: SleepInfoSpec
}

interface SleepInfoSpec extends ImportedSpec, SleepTimes {
  readonly suspendDeployments?: boolean
  readonly suspendStatefulSets?: boolean
  readonly suspendCronJobs?: boolean
  readonly includeRef?: readonly Ref[]
  readonly excludeRef?: readonly Ref[]
  readonly patches?: readonly { readonly target: { readonly group: string; readonly kind: string } }[]
}

type Ref =
  | {
      readonly apiVersion: string
      readonly kind: string
      readonly name: string
      readonly matchLabels?: undefined
    }
  | { readonly matchLabels: Readonly<Record<string, string>>; readonly name?: undefined }

export function isSleepInfo(object: ImportedObject): object is SleepInfo {
  return object.kind === 'SleepInfo' && object.apiVersion.startsWith('kube-green.com/')
}

/** Whether it puts this kind to sleep at all. */
export function isOfKind({ spec }: SleepInfo, { kind }: ImportedObject): boolean {
  switch (kind) {
    case 'Deployment':
      return spec.suspendDeployments ?? true
    case 'StatefulSet':
      return spec.suspendStatefulSets ?? true
    case 'CronJob':
      return spec.suspendCronJobs ?? false
    default:
      return false
  }
}

/** Whether a patch of its own replaces the default for this kind. */
export function hasPatch({ spec }: SleepInfo, { kind }: ImportedObject): boolean {
  return spec.patches?.some(({ target }) => target.kind === kind) ?? false
}

/**
 * Whether its references include this workload. All include rules must hold, so two names of one kind match nothing; a
 * name limits its own kind alone (observed with kube-green 0.7.1).
 */
export function isChosen({ spec }: SleepInfo, object: ImportedObject): boolean {
  if (spec.excludeRef?.some((ref) => isReferred(ref, object))) return false
  return (spec.includeRef ?? []).every((ref) => !concerns(ref, object) || isReferred(ref, object))
}

function concerns(ref: Ref, { apiVersion, kind }: ImportedObject): boolean {
  return ref.matchLabels !== undefined || (ref.apiVersion === apiVersion && ref.kind === kind)
}

function isReferred(ref: Ref, object: ImportedObject): boolean {
  if (!concerns(ref, object)) return false
  if (ref.matchLabels === undefined) return ref.name === object.metadata.name
  return Object.entries(ref.matchLabels).every(([name, value]) => object.metadata.labels?.[name] === value)
}
