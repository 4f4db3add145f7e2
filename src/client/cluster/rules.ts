import { compilePolicy, type CompiledPolicy } from '../../domain/policy/configured.ts'
import { Inheritance, type Inherited, type Namespace } from '../../domain/policy/inheritance.ts'
import { SETTING_NAMES, type Found, type SettingName } from '../../domain/policy/settings.ts'
import type { StatusRecord } from '../../domain/records/record.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { calendarOf, type Calendar, type Calendars } from '../../domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../../domain/schedule/schedule.ts'
import { InvalidSchedule } from '../../domain/schedule/syntax.ts'
import type { Setter } from '../../domain/workload/settings.ts'
import { ASLEEP_LABEL, type WorkloadKey } from '../../domain/workload/workload.ts'
import type { KnownService } from './known-service.ts'

/** The inputs that are not known here: results computed without them may be wrong. */
export interface Unknowns {
  readonly calendars: Set<string>
  /** Whether a policy could give something that was looked at another setting. */
  policies: boolean
}

interface Lookups {
  readonly namespaceOf: (name: string) => Namespace | undefined
  /** Whether the person may not read it. */
  readonly isUnreadable: (name: string) => boolean
  /** Collects the settings that were needed and are unknown. */
  readonly unknowns: Unknowns
  readonly podOwnerOf: (key: WorkloadKey) => WorkloadKey | undefined
}

/** The domain's rules, as far as they can be known here. */
export interface KnownRules extends Rules {
  /** Rewords the record of a workload whose settings are partly unknown. */
  readonly inWords: (record: StatusRecord) => StatusRecord
}

/** The domain's rules, as far as the service's settings are published and the person may read the Namespaces. */
export function rulesOf(
  service: KnownService,
  { namespaceOf, isUnreadable, unknowns, podOwnerOf }: Lookups,
): KnownRules {
  const { policy } = service
  const compiler = new ScheduleCompiler(1000, calendarsOf(service, unknowns))
  const policies = compiled(service)
  const inheritance = new Inheritance(policies ?? [])
  const why = policies === undefined ? "the service's policies are not published" : MAY_NOT_READ
  return {
    policy,
    compile(text, zone, calendar) {
      if (text === UNKNOWN.text)
        throw new InvalidSchedule(`its hours are unknown: ${why}`, 1, 'hours that are known')
      return compiler.compile(text, zone, calendar)
    },
    inherited(workload) {
      const { owner, labels, namespace: name } = workload
      const { annotations = {} } = workload as Partial<Setter>
      const namespace = namespaceOf(name)
      if (!namespace || namespace.deleting) return undefined
      const inherited = inheritance.of(namespace).by(workload)
      if (owner || (policies !== undefined && !isUnreadable(name))) return inherited
      const filled = withUnknown(inherited, annotations, labels?.[ASLEEP_LABEL] !== undefined)
      const isSet = (setting: SettingName) => (annotations[setting] ?? filled.settings[setting]) !== undefined
      if (policies === undefined && (filled !== inherited || !SETTING_NAMES.every(isSet)))
        unknowns.policies = true
      return filled
    },
    inheritsSame: (before, after) => inheritance.isSame(before, after),
    podOwnerOf,
    inWords(record) {
      const { enabled, schedule } = record.policy
      if (enabled.source === UNKNOWN.source && enabled.value === null)
        return {
          ...record,
          reason: `unknown: ${why}, so it may be managed; --server asks the service`,
          reason_code: 'unknown',
          reason_values: { fault: why },
          remedy: null,
        }
      const { fault } = record.reason_values
      if (schedule.source !== UNKNOWN.source || typeof fault !== 'string') return record
      const known = `its hours are unknown: ${why}`
      const reason = record.reason.replace(fault, known)
      return { ...record, reason, reason_values: { ...record.reason_values, fault: known } }
    },
  }
}

const MAY_NOT_READ = 'you may not read the namespace'

/** undefined: they are not published, or not in a form that we know. */
function compiled({ policies }: KnownService): CompiledPolicy[] | undefined {
  try {
    return policies?.map(compilePolicy)
  } catch {
    return undefined
  }
}

/** In place of a setting that others may have set; the text is none that means anything. */
const UNKNOWN: Found = { text: '?', source: 'policy/unknown' }

/** Settings that an unknown policy or Namespace may give where nothing nearer does: `enabled`, and the hours. */
function withUnknown(inherited: Inherited, own: Setter['annotations'], isMarked: boolean): Inherited {
  const { settings } = inherited
  const enabled = own.enabled ?? settings.enabled?.text
  if (enabled === undefined && !isMarked) return { ...inherited, settings: { ...settings, enabled: UNKNOWN } }
  // Dormouse's label is on it, so it is managed.
  const managed = enabled === undefined ? { enabled: { ...UNKNOWN, text: 'true' } } : {}
  if (enabled !== undefined && enabled !== 'true') return inherited
  return { ...inherited, settings: { schedule: UNKNOWN, ...settings, ...managed } }
}

/** The service's calendars; those that it does not publish, or in an unknown form, change no hours here. */
function calendarsOf({ calendars }: KnownService, unknowns: Unknowns): Calendars {
  const known = new Map<string, Calendar | string>()
  const made = (name: string): Calendar | string | undefined => {
    if (calendars === undefined) return unknownCalendar(name, unknowns)
    const dates = Object.hasOwn(calendars, name) ? calendars[name] : undefined
    if (dates === undefined || typeof dates === 'string') return dates
    try {
      return calendarOf(name, dates)
    } catch {
      return unknownCalendar(name, unknowns)
    }
  }
  return {
    names: Object.keys(calendars ?? {}),
    find(name) {
      const found = known.get(name) ?? made(name)
      if (found !== undefined) known.set(name, found)
      return found
    },
  }
}

/** It is noted where a date is looked up: only there its dates would change something. */
function unknownCalendar(name: string, { calendars }: Unknowns): Calendar {
  return {
    name,
    key: name,
    hoursOn() {
      calendars.add(name)
      return undefined
    },
  }
}
