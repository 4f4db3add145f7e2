import { compilePolicy, type CompiledPolicy } from '../../domain/policy/configured.ts'
import { Inheritance, type Inherited, type Namespace } from '../../domain/policy/inheritance.ts'
import { SETTING_NAMES, type Found } from '../../domain/policy/settings.ts'
import type { StatusRecord } from '../../domain/record.ts'
import type { Rules } from '../../domain/rules.ts'
import { calendarOf, type Calendar, type Calendars } from '../../domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../../domain/schedule/schedule.ts'
import { InvalidSchedule } from '../../domain/schedule/syntax.ts'
import type { Setter } from '../../domain/settings.ts'
import { ASLEEP_LABEL, type WorkloadKey } from '../../domain/workload.ts'
import type { KnownService } from './known-service.ts'

/** What the service does not tell, and so may be missing from what we compute. */
export interface Unknowns {
  readonly calendars: Set<string>
  /** Whether a policy could give something that was looked at another setting. */
  policies: boolean
}

/**
 * The domain's rules, as far as the service's settings are published. `unknowns` is filled with what was asked for and
 * is not known: dates of calendars, and settings of policies.
 */
export function rulesOf(
  service: KnownService,
  namespaceOf: (name: string) => Namespace | undefined,
  unknowns: Unknowns,
  scalerOf: (key: WorkloadKey) => WorkloadKey | undefined,
): Rules {
  const { policy } = service
  const compiler = new ScheduleCompiler(1000, calendarsOf(service, unknowns))
  const policies = compiled(service)
  const inheritance = new Inheritance(policies ?? [])
  return {
    policy,
    compile(text, zone, calendar) {
      if (text === UNKNOWN.text) throw new InvalidSchedule(UNKNOWN_HOURS, 1, UNKNOWN_HOURS)
      return compiler.compile(text, zone, calendar)
    },
    inherited(workload) {
      const namespace = namespaceOf(workload.namespace)
      if (!namespace || namespace.deleting) return undefined
      const inherited = inheritance.of(namespace).by(workload)
      if (policies !== undefined || workload.owner) return inherited
      const { annotations } = workload as Partial<Setter>
      const filled = withUnknown(inherited, annotations ?? {}, workload.labels?.[ASLEEP_LABEL] !== undefined)
      const isSet = (name: (typeof SETTING_NAMES)[number]) =>
        annotations?.[name] !== undefined || inherited.settings[name] !== undefined
      if (filled !== inherited || !SETTING_NAMES.every(isSet)) unknowns.policies = true
      return filled
    },
    inheritsSame: (before, after) => inheritance.isSame(before, after),
    scalerOf,
  }
}

/** undefined: they are not published, or not in a form that we know. */
function compiled({ policies }: KnownService): CompiledPolicy[] | undefined {
  try {
    return policies?.map(compilePolicy)
  } catch {
    return undefined
  }
}

/** In place of a setting that a policy may have; the text is none that means anything. */
const UNKNOWN: Found = { text: '?', source: 'policy/unpublished' }
const UNKNOWN_HOURS =
  "whether a policy gives it hours is unknown, since the service's policies are not published"
const UNKNOWN_ENABLED =
  "unknown: the service's policies are not published, and one of them may enable it; --server asks the service"

/** What policies may set, where nothing nearer does: whether it is managed at all, and the hours of what is. */
function withUnknown(inherited: Inherited, own: Setter['annotations'], isMarked: boolean): Inherited {
  const enabled = own.enabled ?? inherited.settings.enabled?.text
  // Dormouse's label is on it, so it is managed; by which policy is not published.
  const managed = enabled === undefined && isMarked ? { ...UNKNOWN, text: 'true' } : undefined
  if (enabled === undefined && !managed)
    return { ...inherited, settings: { ...inherited.settings, enabled: UNKNOWN } }
  if (enabled !== 'true' && !managed) return inherited
  const settings = {
    schedule: UNKNOWN,
    ...inherited.settings,
    ...(managed && { enabled: managed }),
  }
  return { ...inherited, settings }
}

/** The record of a workload whose settings are partly unknown says so in words. */
export function inWords<Told extends Pick<StatusRecord, 'reason' | 'policy'>>(record: Told): Told {
  const { enabled } = record.policy
  if (enabled.source === UNKNOWN.source && enabled.value === null)
    return { ...record, reason: UNKNOWN_ENABLED }
  const prefix = 'dormouse.dev/schedule of policy unpublished: '
  return record.reason.includes(prefix) ? { ...record, reason: record.reason.replace(prefix, '') } : record
}

/** As the service has them; where it publishes none, or in a form that we do not know, they change no hours here. */
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
