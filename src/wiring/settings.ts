import type { Config } from '../service/config/config.ts'
import { compilePolicy } from '../domain/policy/configured.ts'
import { Inheritance, type Heir, type Namespace } from '../domain/policy/inheritance.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import { NO_CALENDARS, type Calendars } from '../domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'

/** The rules' inputs beside the configuration, each as it is now. */
export interface Lookups {
  /** undefined: it does not exist, or is not known yet. */
  readonly namespaceOf: (name: string) => Namespace | undefined
  readonly calendars?: Calendars
  /** undefined: nobody computes waits of wakes. */
  readonly waitOf?: Rules['waitOf']
  /** undefined: nobody asks. */
  readonly released?: Rules['released']
  readonly scaledObjects?: Required<Rules>['scaledObjects']
  readonly podOwnerOf?: Required<Rules>['podOwnerOf']
  /** undefined: states are not signed. */
  readonly keyring?: Required<Rules>['keyring']
}

/** The domain's rules under a configuration. Compiles equal schedules once, and resolves inheritance once. */
export function rulesOf(
  config: Config,
  {
    namespaceOf,
    calendars = NO_CALENDARS,
    waitOf,
    released,
    scaledObjects = () => [],
    podOwnerOf = () => undefined,
    keyring,
  }: Lookups,
): Rules {
  const compiler = new ScheduleCompiler(SCHEDULES_KEPT, calendars)
  const inheritance = new Inheritance(config.policies.map(compilePolicy))
  const inheritedFrom = (namespace: Namespace, workload: Heir) => inheritance.of(namespace).by(workload)
  return {
    policy: config,
    compile: (text, zone, calendar) => compiler.compile(text, zone, calendar),
    inherited(workload) {
      const namespace = namespaceOf(workload.namespace)
      return namespace && !namespace.deleting ? inheritedFrom(namespace, workload) : undefined
    },
    inheritedFrom,
    inheritsSame: (before, after) => inheritance.isSame(before, after),
    exemptUsers: config.exemptUsers,
    scaledObjects,
    podOwnerOf,
    ...(waitOf && { waitOf }),
    ...(keyring && { keyring }),
    ...(released && { released }),
  }
}

const SCHEDULES_KEPT = 10_000
