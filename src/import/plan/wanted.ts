import type { Instant } from '../../process/clock.ts'
import { parseSchedule } from '../../domain/schedule/syntax.ts'
import { isTimezone } from '../../domain/schedule/zone.ts'
import type { Week } from './week.ts'
import { writtenInstant } from '../../domain/workload/instant.ts'
import { ANNOTATION } from '../../domain/annotations.ts'
import { counted } from '../../domain/text.ts'
import type { TrafficMode } from '../../domain/traffic-mode.ts'
import type { MergePatch } from './imported-object.ts'

/** Settings of ours that do what another tool does. */
export interface Wanted {
  /** False: the other tool leaves it alone, or Dormouse cannot do what it does. */
  readonly enabled: boolean
  /** Canonical; '': none. */
  readonly schedule: string
  readonly timezone: string
  /** False: the schedule only puts to sleep. */
  readonly autoWake: boolean
  readonly awakeUntil?: Instant
  /** The count that it sleeps with; absent: 0. */
  readonly asleepReplicas?: number
  /** How traffic wakes it; absent: as it is. */
  readonly wakeOnTraffic?: TrafficMode
  /** The differences from before, a sentence each. */
  readonly differs: readonly string[]
  /** Why Dormouse cannot do what the tool does. */
  readonly refused?: string
}

export function leftAlone(...differs: string[]): Wanted {
  return { enabled: false, schedule: '', timezone: '', autoWake: true, differs }
}

export function refused(why: string): Wanted {
  return { ...leftAlone(), refused: why }
}

export const ALL_HOURS = '0:00-24:00'
/** Stands for no hours, since a schedule has at least one window: a minute each day, with auto-wake off. */
const NO_HOURS = '0:00-0:01'

/** Settings under which a workload is awake in these minutes of the week. */
export function inHours(week: Week, timezone: string, differs: readonly string[] = []): Wanted {
  if (!isTimezone(timezone)) return refused(`'${timezone}' is no time zone`)
  if (week.isEmpty)
    return {
      enabled: true,
      schedule: NO_HOURS,
      timezone,
      autoWake: false,
      differs: [...differs, 'it never wakes by itself, and what a person wakes sleeps again after midnight'],
    }
  const schedule = week.schedule()
  try {
    parseSchedule(schedule)
  } catch {
    return refused('its hours need more windows than a schedule may have')
  }
  return { enabled: true, schedule, timezone, autoWake: true, differs }
}

/** Settings that put to sleep when these minutes of the week begin, and never wake. */
export function onlyAsleep(asleep: Week, timezone: string, differs: readonly string[] = []): Wanted {
  const wanted = inHours(asleep.not(), timezone, differs)
  return wanted.enabled ? { ...wanted, autoWake: false } : wanted
}

/** Our annotations for the wanted settings, as far as they differ from the inherited ones. */
export function annotationsOf(wanted: Wanted, inherited?: Wanted): MergePatch {
  if (!wanted.enabled) return inherited?.enabled === false ? {} : { [ANNOTATION.enabled]: 'false' }
  const outer = inherited?.enabled === true ? inherited : undefined
  const own: Record<string, string> = {}
  if (!outer) own[ANNOTATION.enabled] = 'true'
  if (wanted.schedule !== outer?.schedule) own[ANNOTATION.schedule] = wanted.schedule
  if (wanted.timezone !== outer?.timezone) own[ANNOTATION.timezone] = wanted.timezone
  if (wanted.autoWake !== (inherited?.autoWake ?? true)) own[ANNOTATION.autoWake] = String(wanted.autoWake)
  const { asleepReplicas = 0 } = wanted
  if (asleepReplicas !== (inherited?.asleepReplicas ?? 0))
    own[ANNOTATION.asleepReplicas] = String(asleepReplicas)
  if (wanted.awakeUntil !== undefined && wanted.awakeUntil !== outer?.awakeUntil)
    own[ANNOTATION.awakeUntil] = writtenInstant(wanted.awakeUntil)
  if (wanted.wakeOnTraffic !== undefined) own[ANNOTATION.wakeOnTraffic] = wanted.wakeOnTraffic
  return own
}

/** The settings as one sentence. */
export function saysWanted(wanted: Wanted): string {
  const { enabled, schedule, timezone, autoWake, awakeUntil, asleepReplicas = 0, wakeOnTraffic } = wanted
  if (!enabled) return 'left alone, as before'
  const rest = asleepReplicas === 0 ? '' : `, asleep with ${counted(asleepReplicas, 'replica')}`
  const until = awakeUntil === undefined ? '' : `, awake until ${new Date(awakeUntil).toISOString()}`
  const traffic = wakeOnTraffic === undefined ? '' : `, and traffic wakes it (${wakeOnTraffic})`
  const byPeople = autoWake ? '' : ', and only people wake it'
  return `awake ${schedule} (${timezone})${traffic || byPeople}${rest}${until}`
}
