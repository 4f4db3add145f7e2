import type { Instant } from '../../process/clock.ts'
import { typeOf } from '../kinds.ts'
import { nearestName } from '../nearest.ts'
import { flagFault, settingFault } from '../policy/faults.ts'
import { INHERITED_ANNOTATIONS, type InheritedAnnotation } from '../policy/inheritance.ts'
import type { Rules } from '../deciding/rules.ts'
import { isManaged, settingsOf } from '../workload/settings.ts'
import { parseEnd } from '../schedule/awake-until.ts'
import { scheduleDoubt } from '../schedule/syntax.ts'
import { formOf } from '../sleeping/forms.ts'
import { clip, iso } from '../text.ts'
import { numberFault } from '../deciding/order.ts'
import {
  ANNOTATION,
  ANNOTATION_NAMES,
  isOfState,
  type AnnotationName,
  type StateAnnotation,
  type Workload,
} from '../workload/workload.ts'

/** The annotations with people's settings. */
export const SETTINGS = ANNOTATION_NAMES.filter(isSetting)
type Setting = Exclude<AnnotationName, StateAnnotation | 'request'>
/** Settings of schedules: without one they have no effect. */
const OF_SCHEDULES = ['calendar', 'autoWake', 'awakeUntil', 'wakeOrder', 'sleepOrder'] as const
/** One write may bring any number of unknown annotations. */
export const MOST_WARNINGS = 3
const PREFIX = 'dormouse.dev/'

/** Annotations of ours on a workload, or on the Namespace that it inherits them from. */
export type Annotations = Workload['annotations']

/** The fault of one of these annotations that this write added or changed; undefined: there is none. */
export function annotationFault(
  names: readonly Setting[],
  before: Annotations | undefined,
  after: Annotations,
): string | undefined {
  for (const name of names) {
    const value = after[name]
    if (value === undefined || value === before?.[name]) continue
    const fault = isInherited(name) ? settingFault(name, value) : FAULT[name](value)
    if (fault !== undefined) return `${ANNOTATION[name]}: ${fault}`
  }
  return undefined
}

/** Settings of workloads alone. */
const FAULT: Record<Exclude<Setting, InheritedAnnotation>, (value: string) => string | undefined> = {
  wakeOrder: numberFault,
  sleepOrder: numberFault,
  catchUp: (value) => (value === '' ? undefined : flagFault(value)),
}

function isSetting(name: AnnotationName): name is Setting {
  return !isOfState(name) && name !== 'request'
}

function isInherited(name: Setting): name is InheritedAnnotation {
  return (INHERITED_ANNOTATIONS as readonly string[]).includes(name)
}

/**
 * Texts of warnings about annotations that this write added or changed and that have no effect, with the one probably
 * meant, and about calendars that cannot be used: the configuration may have them soon, so the write goes through.
 */
export function withoutEffect(
  before: Workload | undefined,
  after: Workload,
  unknown: readonly string[],
  now: Instant,
  rules: Rules,
): string[] {
  const says = unknownNames(unknown, [...SETTINGS, 'request'])
  const changed = SETTINGS.filter(
    (name) =>
      name !== 'enabled' &&
      (after.annotations[name] ?? '') !== '' &&
      after.annotations[name] !== before?.annotations[name],
  )
  if (changed.length > 0) says.push(...ineffective(changed, after, now, rules))
  if (changed.includes('asleepReplicas') && !formOf(after).scales)
    says.push(
      `: ${ANNOTATION.asleepReplicas} has no effect on a ${typeOf(after.kind)}, which sleeps without a count`,
    )
  says.push(...scheduleWarnings(before?.annotations, after.annotations))
  return says.slice(0, MOST_WARNINGS)
}

/** A warning about a schedule that this write added or changed, and that is probably not meant so. */
export function scheduleWarnings(before: Annotations | undefined, { schedule }: Annotations): string[] {
  const doubt = schedule === undefined || schedule === before?.schedule ? undefined : scheduleDoubt(schedule)
  return doubt === undefined ? [] : [`: ${ANNOTATION.schedule}: ${doubt}`]
}

/** A warning about unknown annotations, each with the most similar one of ours; a known name among them is a label's. */
export function unknownNames(unknown: readonly string[], known: readonly AnnotationName[]): string[] {
  const suffixes = known.map((name) => ANNOTATION[name].slice(PREFIX.length))
  return unknown.map((name) => {
    if (NAMES.has(name))
      return `: ${name} has no effect as a label: it is an annotation (kubectl annotate … ${name}=…)`
    const meant = nearestName(name.slice(name.indexOf('/') + 1), suffixes)
    return meant === undefined
      ? `: ${clip(name)} is not known, so it has no effect`
      : `: ${clip(name)} is not known: did you mean ${PREFIX}${meant}?`
  })
}

const NAMES: ReadonlySet<string> = new Set(Object.values(ANNOTATION))

function ineffective(changed: readonly Setting[], after: Workload, now: Instant, rules: Rules): string[] {
  if (!isManaged(after, rules))
    return changed.map((name) => `: ${ANNOTATION[name]} has no effect until ${ANNOTATION.enabled} is "true"`)
  const { effective, awakeUntil, scheduleFault } = settingsOf(after, rules)
  const has = (name: Setting) => changed.includes(name)
  if (effective.schedule === undefined)
    return OF_SCHEDULES.filter(has).map(
      (name) => `: ${ANNOTATION[name]} has no effect without ${ANNOTATION.schedule}`,
    )
  if (!has('calendar') && !has('awakeUntil')) return []
  if (scheduleFault !== undefined) return [`: ${scheduleFault.slice(0, 160)}`]
  if (!has('awakeUntil') || awakeUntil === undefined) return []
  const own = parseEnd((after.annotations.awakeUntil ?? '').trim(), effective.timezone)
  if (own <= now) return [`: ${ANNOTATION.awakeUntil} has no effect, since that is over`]
  return own < awakeUntil
    ? [`: ${ANNOTATION.awakeUntil} has no effect, since that of its Namespace lasts until ${iso(awakeUntil)}`]
    : []
}
