import type { Instant } from '../../process/clock.ts'
import { A_COUNT, A_FLAG, effectiveSettings, faultAt, type Effective } from '../policy/effective.ts'
import { namespaceFault, settingFault } from '../policy/faults.ts'
import type { Heir, Namespace } from '../policy/inheritance.ts'
import type { SettingName } from '../inheritable.ts'
import type { Source } from '../policy/settings.ts'
import type { ReadingRules } from './settings-rules.ts'
import { parseEnd } from '../schedule/awake-until.ts'
import { durationIn } from '../schedule/duration.ts'
import { calendarNames, InvalidCalendar } from '../schedule/calendar.ts'
import { InvalidTimezone, type Schedule } from '../schedule/schedule.ts'
import { InvalidSchedule } from '../schedule/syntax.ts'
import { UnknownHours } from '../schedule/unknown-hours.ts'
import { trafficMode, type TrafficMode } from '../traffic-mode.ts'
import { ANNOTATION, type Workload } from './workload.ts'

/** A workload's own and inherited settings, and their meaning. */
export interface Settings {
  /** `unclear`: the nearest value is neither true nor false, so nothing is done. */
  readonly enabled: boolean | 'unclear'
  readonly zone: string
  readonly schedule: Schedule | undefined
  /** The names of its calendars, as in `de-be,company`; undefined: none. */
  readonly calendar: string | undefined
  /** false: the schedule only puts to sleep. */
  readonly autoWake: boolean
  /** A deploy of a sleeper wakes it. */
  readonly deployWakes: boolean
  /** The count that it sleeps with, where its form has one; at a text that is none 0. */
  readonly asleepReplicas: number
  /** How traffic wakes it; at a text without a meaning `off`. */
  readonly wakeOnTraffic: TrafficMode | 'off'
  /** Milliseconds for which traffic keeps it awake; undefined: as a request to wake. */
  readonly trafficHold: number | undefined
  /** The end of the window that awake-until adds to its schedule: the latest, of several. */
  readonly awakeUntil: Instant | undefined
  /** The fault of the schedule or of a setting that belongs to it; undefined: none, or there is no schedule. */
  readonly scheduleFault: string | undefined
  /** The source of that fault. */
  readonly scheduleFaultAt: Source | null
  /** Why its hours are not known to this program, though it may have some; undefined in the service itself. */
  readonly hoursUnknown: string | undefined
  /** The settings as they were found, and where. */
  readonly effective: Effective
  /** Whether its Namespace is known, and not terminating: before that nothing is decided. */
  readonly isSettled: boolean
}

/** A schedule with which every calendar can be used. */
const ANY_HOURS = '0:00-24:00'

/** The parts of a workload that settings depend on. */
export type Setter = Heir & Pick<Workload, 'namespace' | 'annotations'>

export function settingsOf(workload: Setter, rules: ReadingRules): Settings {
  const inherited = rules.inherited(workload)
  const effective = effectiveSettings(workload.annotations, inherited, rules.policy)
  const { enabled, autoWake, deployWakes, asleepReplicas, wakeOnTraffic, trafficHold } = effective
  const calendar = calendarNames(effective.calendar ?? '').join(',') || undefined
  return {
    enabled,
    zone: effective.timezone,
    calendar,
    ...understood(effective, calendar, rules),
    autoWake: autoWake !== false,
    deployWakes: deployWakes === true,
    asleepReplicas: asleepReplicas === 'unclear' ? 0 : asleepReplicas,
    wakeOnTraffic: trafficMode(wakeOnTraffic ?? 'off') ?? 'off',
    trafficHold: trafficHold === undefined ? undefined : durationIn(trafficHold.trim()),
    effective,
    isSettled: inherited !== undefined,
  }
}

/** Whether it is managed, without reading more than that. */
export function isManaged(workload: Workload, rules: ReadingRules): boolean {
  const { enabled } = workload.annotations
  if (enabled !== undefined) return enabled === 'true'
  return rules.inherited(workload)?.settings.enabled?.text === 'true'
}

/** Whether one of these calendars counts for a workload. */
export function usesCalendar(workload: Workload, names: ReadonlySet<string>, rules: ReadingRules): boolean {
  const { calendar } = settingsOf(workload, rules)
  return calendar !== undefined && calendar.split(',').some((name) => names.has(name))
}

/** Why calendars of these names cannot be used by the configuration that is in force; undefined: they can. */
export function unusableCalendar(text: string, { compile, policy }: ReadingRules): string | undefined {
  const names = calendarNames(text)
  if (names.length === 0) return undefined
  try {
    compile(ANY_HOURS, policy.timezone, names.join(','))
    return undefined
  } catch (error) {
    if (error instanceof InvalidCalendar) return error.message
    throw error
  }
}

/** The faults of a Namespace's annotations and of the calendars that they name, in one text; undefined: there is none. */
export function faultOfNamespace(namespace: Namespace, rules: ReadingRules): string | undefined {
  const { calendar = '' } = namespace.annotations
  const isReadable = settingFault('calendar', calendar) === undefined
  const unusable = isReadable ? unusableCalendar(calendar, rules) : undefined
  const faults = [namespaceFault(namespace), unusable && `${ANNOTATION.calendar}: ${unusable}`]
  return faults.filter((fault) => fault !== undefined).join('; ') || undefined
}

type Understood = Pick<
  Settings,
  'schedule' | 'awakeUntil' | 'scheduleFault' | 'scheduleFaultAt' | 'hoursUnknown'
>

const NOTHING: Understood = {
  schedule: undefined,
  awakeUntil: undefined,
  scheduleFault: undefined,
  scheduleFaultAt: null,
  hoursUnknown: undefined,
}

function understood(effective: Effective, calendar: string | undefined, rules: ReadingRules): Understood {
  const { schedule: text, timezone, autoWake, asleepReplicas, sources } = effective
  if (text === undefined) return NOTHING
  const invalid = (name: SettingName | 'awakeUntil', source: Source | null, message: string): Understood => ({
    ...NOTHING,
    scheduleFault: faultAt(ANNOTATION[name], source, message),
    scheduleFaultAt: source,
  })
  if (autoWake === 'unclear') return invalid('autoWake', sources.autoWake, A_FLAG)
  if (asleepReplicas === 'unclear') return invalid('asleepReplicas', sources.asleepReplicas, A_COUNT)
  try {
    const schedule = rules.compile(text, timezone, calendar)
    let awakeUntil: Instant | undefined
    for (const { text: end, source } of effective.awakeUntil) {
      if (end.trim() === '') break
      try {
        awakeUntil = Math.max(awakeUntil ?? Number.NEGATIVE_INFINITY, parseEnd(end.trim(), timezone))
      } catch (error) {
        if (error instanceof InvalidSchedule) return invalid('awakeUntil', source, error.message)
        throw error
      }
    }
    return { ...NOTHING, schedule, awakeUntil }
  } catch (error) {
    if (error instanceof UnknownHours) return { ...NOTHING, hoursUnknown: error.message }
    if (!(error instanceof InvalidSchedule)) throw error
    const name = nameOf(error)
    return invalid(name, sources[name], error.message)
  }
}

function nameOf(error: InvalidSchedule): SettingName {
  if (error instanceof InvalidTimezone) return 'timezone'
  return error instanceof InvalidCalendar ? 'calendar' : 'schedule'
}
