import { parse } from 'yaml'
import type { Instant } from '../../process/clock.ts'
import { isRecord } from '../../domain/json-schema.ts'
import { haveEqualClocks } from '../../domain/schedule/zone.ts'
import { difference, hoursLeftBy } from './played.ts'
import { timerOf, type SleepTimes, type Timer } from './sleep-times.ts'
import { inHours, onlyAsleep, refused, type Wanted } from './wanted.ts'
import { Week } from './week.ts'
import { groupOf, rowOf } from './kinds.ts'
import type { ImportedObject, ImportedSpec } from './imported-object.ts'

/**
 * Settings that do what the SleepInfos of a workload do. A schedule does not know which SleepInfo put the workload to
 * sleep: if that matters at some time of the week, `differs` says so.
 */
export function wantedBySleepInfos(infos: readonly SleepTimes[], now: Instant): Wanted {
  const timers = infos.map(timerOf)
  const unreadable = timers.find((each) => typeof each === 'string')
  if (unreadable !== undefined) return refused(unreadable)
  const [zone = 'UTC', ...others] = new Set(infos.map(({ timeZone }) => timeZone || 'UTC'))
  if (others.some((each) => !haveEqualClocks(zone, each, now)))
    return refused(`its SleepInfos are in several zones: ${[zone, ...others].join(', ')}`)
  const known = timers.filter((each) => typeof each !== 'string')
  const hours = hoursLeftBy(known)
  if (!hours) return refused('it sleeps and wakes at the same times')
  const wanted = hours.isEmpty ? onlyAsleep(atSleeps(known), zone) : inHours(hours, zone)
  const found = wanted.enabled
    ? difference(known, hours.isEmpty ? atSleeps(known).not() : hours, wanted.autoWake)
    : undefined
  return found === undefined ? wanted : { ...wanted, differs: [...wanted.differs, found] }
}

/** The minutes at which any SleepInfo puts the workload to sleep. */
function atSleeps(timers: readonly Timer[]): Week {
  return Week.covering(timers.flatMap(({ sleeps }) => [...sleeps].map((at) => [at, at + 1] as const)))
}

/** A SleepInfo of kube-green, `kube-green.com/v1alpha1`. */
export interface SleepInfo extends ImportedObject {
  readonly spec: SleepInfoSpec
}

interface SleepInfoSpec extends ImportedSpec, SleepTimes {
  readonly [suspended: `suspend${string}`]: boolean | undefined
  readonly includeRef?: readonly Ref[]
  readonly excludeRef?: readonly Ref[]
  readonly patches?: readonly {
    readonly target: { readonly group: string; readonly kind: string }
    readonly patch: string
  }[]
}

/** kube-green's webhook demands a name with its kind, or labels, in excludeRef alone. */
interface Ref {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly matchLabels?: Readonly<Record<string, string>>
}

export function isSleepInfo(object: ImportedObject): object is SleepInfo {
  return object.kind === 'SleepInfo' && object.apiVersion.startsWith('kube-green.com/')
}

/**
 * Whether a SleepInfo puts this kind to sleep as Dormouse does. Its own patch replaces the built-in one; of several
 * patches for one target the last counts (observed with kube-green 0.7.1).
 */
export function sleeps(info: SleepInfo, object: ImportedObject): boolean {
  const own = patchOf(info, object)
  return own ? isUsual(own.patch, object) : isSuspended(info.spec, object)
}

/** Whether a patch of the SleepInfo changes this kind otherwise than Dormouse does. */
export function isPatched(info: SleepInfo, object: ImportedObject): boolean {
  return patchOf(info, object) !== undefined && !sleeps(info, object)
}

function patchOf({ spec }: SleepInfo, object: ImportedObject) {
  return spec.patches?.findLast(({ target }) => isOfTarget(object, target.group, target.kind))
}

function isOfTarget({ apiVersion, kind }: ImportedObject, group: string, name?: string): boolean {
  return kind === name && groupOf(apiVersion) === group
}

/** Whether kube-green's built-in patch puts this kind to sleep. */
function isSuspended(spec: SleepInfoSpec, { kind }: ImportedObject): boolean {
  const [field, byDefault] = rowOf(kind).suspendedBy ?? []
  return field !== undefined && (spec[field] ?? byDefault ?? false)
}

/** Whether a JSON patch (in JSON or YAML) does what the built-in one does, as older SleepInfos have for StatefulSets. */
function isUsual(text: string, { kind }: ImportedObject): boolean {
  const [path, value] = rowOf(kind).asleep ?? ['/spec/replicas', 0]
  try {
    const operations: unknown = parse(text)
    return (
      Array.isArray(operations) &&
      operations.length > 0 &&
      operations.every(
        (each) =>
          isRecord(each) &&
          (each['op'] === 'add' || each['op'] === 'replace') &&
          each['path'] === path &&
          each['value'] === value,
      )
    )
  } catch {
    return false
  }
}

/**
 * Whether the references of a SleepInfo include this workload. kube-green 0.7.1 makes one selector of all: the whole
 * of includeRef has to hold, so two names of one kind match nothing, and each name or label in excludeRef excludes.
 */
export function isChosen({ spec }: SleepInfo, object: ImportedObject): boolean {
  const conditions = (refs: readonly Ref[] = []) => refs.flatMap((ref) => conditionsOf(ref, object))
  return conditions(spec.includeRef).every(Boolean) && !conditions(spec.excludeRef).some(Boolean)
}

/** Whether the name in a reference is the object's, which counts for its own kind alone, and each label. */
function conditionsOf({ apiVersion, kind, name, matchLabels = {} }: Ref, object: ImportedObject): boolean[] {
  const { metadata } = object
  const isNamed = name && isOfTarget(object, groupOf(apiVersion), kind) ? [name === metadata.name] : []
  return [
    ...isNamed,
    ...Object.entries(matchLabels).map(([label, value]) => metadata.labels?.[label] === value),
  ]
}
