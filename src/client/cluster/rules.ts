import { compilePolicy } from '../../domain/policy/configured.ts'
import { Inheritance, type Inherited, type Namespace } from '../../domain/policy/inheritance.ts'
import type { Rules } from '../../domain/rules.ts'
import type { Calendar, Calendars } from '../../domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../../domain/schedule/schedule.ts'
import type { Setter } from '../../domain/settings.ts'
import { ASLEEP_LABEL, type WorkloadKey } from '../../domain/workload.ts'
import type { KnownService } from './known-service.ts'

/** What the service does not tell, and so may be missing from what we compute. */
export interface Unknowns {
  readonly calendars: Set<string>
  /** Whether something was managed by no setting that we know. */
  policies: boolean
}

/**
 * The domain's rules, as far as the service's settings are published. `unknowns` is filled with what was asked for and
 * is not known: dates of calendars, and settings of policies.
 */
export function rulesOf(
  { policy, policies }: KnownService,
  namespaceOf: (name: string) => Namespace | undefined,
  unknowns: Unknowns,
  scalerOf: (key: WorkloadKey) => WorkloadKey | undefined,
): Rules {
  const compiler = new ScheduleCompiler(1000, unknownCalendars(unknowns))
  const inheritance = new Inheritance((policies ?? []).map(compilePolicy))
  return {
    policy,
    compile: (text, zone, calendar) => compiler.compile(text, zone, calendar),
    inherited(workload) {
      const namespace = namespaceOf(workload.namespace)
      if (!namespace || namespace.deleting) return undefined
      const inherited = inheritance.of(namespace).by(workload)
      const isMarked = workload.labels?.[ASLEEP_LABEL] !== undefined
      const { annotations } = workload as Partial<Setter>
      const isSet = inherited.settings.enabled !== undefined || annotations?.enabled !== undefined
      if (policies !== undefined || isSet || !isMarked) return inherited
      unknowns.policies = true
      return managedAllTheSame(inherited)
    },
    inheritsSame: (before, after) => inheritance.isSame(before, after),
    scalerOf,
  }
}

/** Dormouse's label is on it, so it is managed; by which policy is not published. */
function managedAllTheSame(inherited: Inherited): Inherited {
  const enabled = { text: 'true', source: 'policy/unpublished' } as const
  return { ...inherited, settings: { ...inherited.settings, enabled } }
}

/** Their dates are the service's own knowledge: here they change no hours. */
function unknownCalendars({ calendars }: Unknowns): Calendars {
  return {
    names: [],
    find(name): Calendar {
      calendars.add(name)
      return { name, key: name, hoursOn: () => undefined }
    },
  }
}
