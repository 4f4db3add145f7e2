import { isOwnedByOne } from '../../domain/companions/link.ts'
import { compilePolicy, type CompiledPolicy } from '../../domain/policy/configured.ts'
import { Inheritance, type Inherited, type Namespace } from '../../domain/policy/inheritance.ts'
import { byField, SETTING_NAMES, type SettingName } from '../../domain/inheritable.ts'
import type { Found } from '../../domain/policy/settings.ts'
import { settingFault } from '../../domain/policy/faults.ts'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { PolicyRecord, StatusRecord } from '../../domain/records/record.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Calendar, Calendars } from '../../domain/schedule/calendar.ts'
import { calendarPublished } from '../../domain/schedule/published-calendar.ts'
import { ScheduleCompiler } from '../../domain/schedule/schedule.ts'
import { timezoneFault } from '../../domain/schedule/syntax.ts'
import { UnknownHours } from '../../domain/schedule/unknown-hours.ts'
import type { Setter } from '../../domain/workload/settings.ts'
import { DEFAULT_POLICY } from '../../domain/workload/settings-rules.ts'
import { ASLEEP_LABEL, type WorkloadKey } from '../../domain/workload/workload.ts'
import { newerText, type KnownService } from './known-service.ts'

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
  /** Why nothing can be computed by them: the service is newer than this program. undefined: it is not. */
  readonly newer: string | undefined
  /** Rewords the record of a workload whose settings are partly unknown. */
  readonly inWords: (record: StatusRecord) => StatusRecord
  /** The same for the record of a namespace. */
  readonly inSum: (record: NamespaceRecord) => NamespaceRecord
}

/** The domain's rules, as far as the service's settings are published and the person may read the Namespaces. */
export function rulesOf(
  service: KnownService,
  { namespaceOf, isUnreadable, unknowns, podOwnerOf }: Lookups,
): KnownRules {
  const { policy } = service
  const dated = datedCalendars(service)
  const compiled = compiledPolicies(service)
  const isReadable = dated !== 'newer' && compiled !== 'newer' && timezoneFault(policy.timezone) === undefined
  const newer = service.newer ?? (isReadable ? undefined : newerText(service.version))
  // Nothing is judged by a part of what it publishes: another part may change the meaning.
  const policies = newer === undefined && compiled !== 'newer' ? compiled : undefined
  const calendars = newer === undefined && dated !== 'newer' ? dated : undefined
  const compiler = new ScheduleCompiler(1000, calendarsOf(calendars, unknowns))
  const inheritance = new Inheritance(policies ?? [])
  const why = newer ?? (policies === undefined ? service.whyUnknown : MAY_NOT_READ)
  return {
    policy: newer === undefined ? policy : DEFAULT_POLICY,
    newer,
    compile(text, zone, calendar) {
      if (newer !== undefined || text === UNKNOWN.text) throw new UnknownHours(why)
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
    pausesOwnerOf: (workload) => isOwnedByOne(workload, service.owners ?? []),
    ...(newer === undefined && service.released && { released: () => service.released }),
    inWords(record) {
      if (newer !== undefined) return unknownRecord(record, newer)
      const { enabled } = record.policy
      if (enabled.source !== UNKNOWN.source || enabled.value !== null) return record
      const reason = `unknown: ${why}, so it may be managed; --server asks the service`
      return { ...record, ...unknownFor(why), reason }
    },
    inSum: (record) =>
      newer === undefined ? record : { ...record, next_transition: null, policy: UNKNOWN_POLICY },
  }
}

const MAY_NOT_READ = 'you may not read the namespace'

/** Only what stands on the object remains: its counts, its pin, its history. */
function unknownRecord(record: StatusRecord, why: string): StatusRecord {
  return {
    ...record,
    ...unknownFor(why),
    enabled: false,
    held_by: null,
    wake_schedule: null,
    timezone: null,
    next_transition: null,
    policy: UNKNOWN_POLICY,
    reason: `unknown: ${why}`,
  }
}

function unknownFor(why: string) {
  return { reason_code: 'unknown', reason_values: { fault: why }, remedy: null } as const
}

/** undefined: they are not published. `newer`: in a form that is not known here. */
function compiledPolicies({ policies }: KnownService): CompiledPolicy[] | 'newer' | undefined {
  const faults = policies?.flatMap((policy) =>
    SETTING_NAMES.map((name) => settingFault(name, String(policy[name] ?? ''))),
  )
  if (faults?.some((fault) => fault !== undefined)) return 'newer'
  try {
    return policies?.map(compilePolicy)
  } catch {
    return 'newer'
  }
}

/** In place of a setting that others may have set; the text is none that means anything. */
const UNKNOWN: Found = { text: '?', source: 'policy/unknown' }
const NOT_KNOWN = { value: null, source: UNKNOWN.source }
const UNKNOWN_POLICY = byField<PolicyRecord>(() => NOT_KNOWN)

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

type Dated = ReadonlyMap<string, Calendar | string>

/** A text: why the service cannot use it. undefined: they are not published. `newer`: in a form that is not known here. */
function datedCalendars({ calendars }: KnownService): Dated | 'newer' | undefined {
  if (calendars === undefined) return undefined
  try {
    return new Map(
      Object.entries(calendars).map(([name, calendar]) => [
        name,
        typeof calendar === 'string' ? calendar : calendarPublished(name, calendar),
      ]),
    )
  } catch {
    return 'newer'
  }
}

/** The service's calendars; those that it does not publish change no hours here. */
function calendarsOf(calendars: Dated | undefined, unknowns: Unknowns): Calendars {
  const unknown = new Map<string, Calendar>()
  return {
    names: [...(calendars?.keys() ?? [])],
    find(name) {
      if (calendars) return calendars.get(name)
      const found = unknown.get(name) ?? unknownCalendar(name, unknowns)
      unknown.set(name, found)
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
