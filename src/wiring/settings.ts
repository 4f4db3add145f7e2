import type { Config } from '../service/config/config.ts'
import { isOwnedByOne } from '../domain/companions/link.ts'
import { compilePolicy } from '../domain/policy/configured.ts'
import { Inheritance, type Heir, type Namespace } from '../domain/policy/inheritance.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import { NO_CALENDARS, type Calendars } from '../domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'

const SCHEDULES_KEPT = 10_000

/** The rules' inputs beside the configuration, each as it is now; those that are absent, nobody asks for. */
export interface Lookups extends Pick<
  Rules,
  | 'waitOf'
  | 'released'
  | 'scaledObjects'
  | 'faultBeside'
  | 'trafficFaultOf'
  | 'busyBeside'
  | 'podOwnerOf'
  | 'keyring'
> {
  /** undefined: it does not exist, or is not known yet. */
  readonly namespaceOf: (name: string) => Namespace | undefined
  readonly calendars?: Calendars
}

/** The domain's rules under a configuration. Compiles equal schedules once, and resolves inheritance once. */
export function rulesOf(
  config: Config,
  { namespaceOf, calendars = NO_CALENDARS, ...lookups }: Lookups,
): Rules {
  const compiler = new ScheduleCompiler(SCHEDULES_KEPT, calendars)
  const inheritance = new Inheritance(config.policies.map(compilePolicy))
  const owners = config.owners.map(({ resource }) => resource)
  const inheritedFrom = (namespace: Namespace, workload: Heir) => inheritance.of(namespace).by(workload)
  return {
    ...lookups,
    policy: config,
    compile: (text, zone, calendar) => compiler.compile(text, zone, calendar),
    inherited(workload) {
      const namespace = namespaceOf(workload.namespace)
      return namespace && !namespace.deleting ? inheritedFrom(namespace, workload) : undefined
    },
    inheritedFrom,
    inheritsSame: (before, after) => inheritance.isSame(before, after),
    pausesOwnerOf: (workload) => isOwnedByOne(workload, owners),
    exemptUsers: config.exemptUsers,
  }
}
